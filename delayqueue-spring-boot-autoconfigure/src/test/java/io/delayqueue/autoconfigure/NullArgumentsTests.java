package io.delayqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.admin.MessageView;
import io.delayqueue.annotation.DelayListenerEndpoint;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.convert.PayloadCodec;
import io.delayqueue.convert.PayloadCodec.OnProblem;
import io.delayqueue.event.EventBus;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Durability;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.SendHistory;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.DelayQueueOperations;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.template.DelayQueueTemplateBuilder;
import io.delayqueue.template.SendLimits;
import io.delayqueue.template.receive.DelayQueueReceiver;
import io.delayqueue.template.receive.Leases;
import io.delayqueue.template.receive.ReceiveRequest;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.ParameterizedTypeReference;

/** A null argument is rejected with its name by each method that applications call. */
@EmbeddedRedis
class NullArgumentsTests {

    private static final Map<Class<?>, Object> SAMPLES = Map.ofEntries(
            Map.entry(String.class, "a@b"),
            Map.entry(String[].class, new String[] {"a"}),
            Map.entry(Object.class, "payload"),
            Map.entry(Class.class, String.class),
            Map.entry(int.class, 1),
            Map.entry(long.class, 1L),
            Map.entry(Duration.class, Duration.ofSeconds(1)),
            Map.entry(Instant.class, Instant.parse("2030-01-31T12:00:00Z")),
            Map.entry(ZoneId.class, ZoneId.of("UTC")),
            Map.entry(OnDuplicate.class, OnDuplicate.KEEP),
            Map.entry(Durability.class, Durability.NONE),
            Map.entry(SendHistory.class, SendHistory.none()),
            Map.entry(Map.class, Map.of()),
            Map.entry(List.class, List.of("a")),
            Map.entry(Collection.class, List.of()),
            Map.entry(OnProblem.class, OnProblem.WARN),
            Map.entry(ParameterizedTypeReference.class, ParameterizedTypeReference.forType(String.class)),
            Map.entry(MessageView.class, MessageView.SCHEDULED),
            Map.entry(ReceiveRequest.class, ReceiveRequest.from("a")),
            Map.entry(EventBus.class, new EventBus(List.of())),
            Map.entry(SendLimits.class, SendLimits.DEFAULTS),
            Map.entry(TopicLimits.class, TopicLimits.NONE),
            Map.entry(
                    DelayListenerEndpoint.class,
                    DelayListenerEndpoint.to("a")
                            .id("a")
                            .handler(String.class, (text, delivery) -> {})
                            .build()),
            Map.entry(DelayMessage.class, DelayMessage.to("a").payload("p").build()));

    private final RedisServerProcess redis;
    private final List<String> wrong = new ArrayList<>();

    NullArgumentsTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    @Test
    void failureNamesTheMissingArgument() {
        ApplicationContextRunner runner =
                QueueContexts.withoutRedis().withPropertyValues("spring.data.redis.port=" + redis.port());
        runner.run(context -> {
            check(DelayQueueOperations.class, context.getBean(DelayQueueTemplate.class));
            check(DelayQueueReceiver.class, context.getBean(DelayQueueReceiver.class));
            check(Leases.class, context.getBean(Leases.class));
            check(DelayQueueAdmin.class, context.getBean(DelayQueueAdmin.class));
            check(DelayQueueInspector.class, context.getBean(DelayQueueInspector.class));
            check(DelayListenerRegistry.class, context.getBean(DelayListenerRegistry.class));
            check(
                    DelayQueueTemplateBuilder.class,
                    DelayQueueTemplate.builder(
                            context.getBean(MessageStore.class),
                            context.getBean(TopicRegistry.class),
                            context.getBean(PayloadCodec.class),
                            InstantSource.system()));
        });
        check(ReceiveRequest.class, null);
        check(DelayMessage.class, null);
        check(DelayMessage.Builder.class, DelayMessage.to("a"));
        check(TopicLimits.Rate.class, null);
        check(DelayListenerEndpoint.class, null);
        check(DelayListenerEndpoint.Builder.class, DelayListenerEndpoint.to("a"));

        assertThat(wrong).isEmpty();
    }

    private void check(Class<?> type, @Nullable Object target) {
        for (Method method : type.getDeclaredMethods()) {
            boolean called = Modifier.isPublic(method.getModifiers())
                    && !method.isSynthetic()
                    && Modifier.isStatic(method.getModifiers()) == (target == null);
            for (int i = 0; called && i < method.getParameterCount(); i++) {
                Parameter parameter = method.getParameters()[i];
                if (!parameter.getType().isPrimitive()
                        && !parameter.getAnnotatedType().isAnnotationPresent(Nullable.class)) {
                    check(method, i, target);
                }
            }
        }
    }

    private static Object sample(Class<?> type) {
        return SAMPLES.containsKey(type)
                ? SAMPLES.get(type)
                : Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    throw new AssertionError("called");
                });
    }

    private void check(Method method, int missing, @Nullable Object target) {
        Object[] arguments = Stream.of(method.getParameterTypes())
                .map(NullArgumentsTests::sample)
                .toArray();
        arguments[missing] = null;
        String name = method.getParameters()[missing].getName();
        Throwable thrown = catchThrowable(() -> {
            try {
                method.invoke(target, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        });
        String said = String.valueOf(thrown == null ? null : thrown.getMessage());
        if (!(thrown instanceof IllegalArgumentException) || !said.contains("'" + name + "' must not be null")) {
            wrong.add(method.getDeclaringClass().getSimpleName() + "." + method.getName()
                    + Arrays.toString(method.getParameterTypes()) + " without " + name + ": " + thrown);
        }
    }
}
