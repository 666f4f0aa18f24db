package io.delayqueue.annotation;

import io.delayqueue.listener.DeadLetterSource;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.DeadLetter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;

/** An application with listeners and without Redis: its containers only record calls. */
final class ListenerApplication implements AutoCloseable {

    final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    final Map<String, ListenerOptions> topics = new HashMap<>();
    final DeadLetters deadLetters = new DeadLetters();
    /** The ids of the listeners in the order in which they were started. */
    final List<String> started = new ArrayList<>();

    /** As with Spring Boot. */
    ListenerOptions defaults =
            ListenerOptions.DEFAULTS.toBuilder().batchSize(100).build();

    boolean autoStartup = true;

    private ListenerApplication() {
        context.registerBeanDefinition(
                "delayListenerPostProcessor",
                BeanDefinitionBuilder.genericBeanDefinition(DelayListenerAnnotationBeanPostProcessor.class)
                        .getBeanDefinition());
        context.registerBean(DelayListenerRegistry.class, () -> new DelayListenerRegistry(autoStartup));
        context.registerBean(
                DelayListenerEndpointRegistrar.DEFAULT_CONTAINER_FACTORY,
                DefaultDelayListenerContainerFactory.class,
                () -> new DefaultDelayListenerContainerFactory(
                        spec -> new RecordingContainer(spec, container -> started.add(container.id())),
                        defaults,
                        topic -> topics.getOrDefault(topic, defaults),
                        deadLetters));
    }

    /** Starts an application with beans. */
    static ListenerApplication start(Class<?>... beans) {
        return start(application -> {}, beans);
    }

    /** Starts an application with beans after a preparation of its context. */
    static ListenerApplication start(Consumer<ListenerApplication> prepare, Class<?>... beans) {
        ListenerApplication application = new ListenerApplication();
        for (Class<?> bean : beans) {
            application.context.register(bean);
        }
        prepare.accept(application);
        application.context.refresh();
        return application;
    }

    ListenerApplication property(String name, Object value) {
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource(name, Map.of(name, value)));
        return this;
    }

    DelayListenerRegistry registry() {
        return context.getBean(DelayListenerRegistry.class);
    }

    RecordingContainer container(String id) {
        return (RecordingContainer) registry()
                .getContainer(id)
                .orElseThrow(() ->
                        new AssertionError("no " + id + " in " + registry().getListenerIds()));
    }

    RecordingContainer onlyContainer() {
        return container(registry().getListenerIds().iterator().next());
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    @Override
    public void close() {
        context.close();
    }

    /** A source of dead letters without Redis. */
    static final class DeadLetters implements DeadLetterSource {

        final Map<String, DeadLetter> byId = new HashMap<>();
        boolean unavailable;

        @Override
        public Optional<DeadLetter> find(String topic, String deadLetterId) {
            if (unavailable) {
                throw new IllegalStateException("Redis is unavailable");
            }
            return Optional.ofNullable(byId.get(deadLetterId))
                    .filter(deadLetter -> deadLetter.topic().equals(topic));
        }
    }
}
