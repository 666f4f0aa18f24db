package io.delayqueue.annotation;

import io.delayqueue.Internal;
import io.delayqueue.annotation.DelayListenerMethods.Declared;
import io.delayqueue.annotation.method.InvalidSignatureException;
import io.delayqueue.annotation.method.ListenerMethod;
import io.delayqueue.annotation.method.ListenerMethods;
import io.delayqueue.annotation.method.MethodListener;
import io.delayqueue.convert.PayloadConverter;
import io.delayqueue.listener.DeadLetterHandler;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.Ordered;

/**
 * Finds methods annotated with {@link DelayListener} and {@link DeadLetterListener}. It registers them when all
 * singletons are created, and methods of later beans immediately. Lazy beans whose type is known to have such methods
 * are created, too. Declare it with a static {@code @Bean} method.
 *
 * <p>It needs a {@link DelayListenerRegistry} bean; if there are listeners, a {@link DelayListenerContainerFactory}
 * bean; and for dead-letter listeners with payloads a {@link PayloadConverter} bean.
 */
@Internal
public final class DelayListenerAnnotationBeanPostProcessor
        implements BeanPostProcessor, SmartInitializingSingleton, BeanFactoryAware, Ordered {

    private final Set<Class<?>> withoutListeners = ConcurrentHashMap.newKeySet();
    private final Map<String, Integer> defaultIds = new HashMap<>();
    private final List<Found> found = new ArrayList<>();
    private @Nullable ConfigurableListableBeanFactory beanFactory;
    private @Nullable Registration registration;

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        this.beanFactory = (ConfigurableListableBeanFactory) beanFactory;
    }

    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof AopInfrastructureBean || ScopedProxyUtils.isScopedTarget(beanName)) {
            return bean;
        }
        Class<?> type = AopUtils.getTargetClass(bean);
        if (withoutListeners.contains(type)) {
            return bean;
        }
        Map<Method, Declared> methods = DelayListenerMethods.find(type);
        if (methods.isEmpty()) {
            withoutListeners.add(type);
        } else {
            methods.forEach((method, declared) -> add(new Found(bean, beanName, type, method, declared)));
        }
        return bean;
    }

    private void add(Found listener) {
        ConfigurableListableBeanFactory factory = required();
        if (factory.containsBean(listener.beanName()) && !factory.isSingleton(listener.beanName())) {
            throw notSingleton(listener.origin());
        }
        synchronized (found) {
            if (registration == null) {
                found.add(listener);
                return;
            }
        }
        registration.register(listener);
    }

    private static InvalidListenerException notSingleton(Origin origin) {
        return origin.invalid(
                "Its bean is not a singleton: no listener would run until an instance is created, and every instance"
                        + " would add a listener.",
                "Make the bean a singleton, or give its scope a proxy (proxyMode).");
    }

    @Override
    public void afterSingletonsInstantiated() {
        ConfigurableListableBeanFactory factory = required();
        createLazyListeners(factory);
        DelayListenerRegistry registry = factory.getBean(DelayListenerRegistry.class);
        DelayListenerEndpointRegistrar registrar = new DelayListenerEndpointRegistrar(factory, registry);
        factory.getBeanProvider(DelayListenerConfigurer.class)
                .orderedStream()
                .forEach(configurer -> configurer.configureDelayListeners(registrar));
        Registration ready = new Registration(factory, registrar);
        List<Found> early;
        synchronized (found) {
            registration = ready;
            early = List.copyOf(found);
            found.clear();
        }
        early.forEach(ready::register);
        findScoped(factory).forEach(ready::register);
        withoutListeners.clear();
    }

    /**
     * Creates lazy beans with listeners, because a lazy bean that is never requested would never listen. Fails if
     * such a bean is not a singleton.
     */
    private static void createLazyListeners(ConfigurableListableBeanFactory factory) {
        for (String name : factory.getBeanDefinitionNames()) {
            BeanDefinition definition = factory.getMergedBeanDefinition(name);
            boolean created = definition.isSingleton() && (!definition.isLazyInit() || factory.containsSingleton(name));
            if (created || definition.isAbstract() || ScopedProxyUtils.isScopedTarget(name)) {
                continue;
            }
            Class<?> type = factory.getType(name, false);
            Map<Method, Declared> methods = type == null ? Map.of() : DelayListenerMethods.find(type);
            if (methods.isEmpty()) {
                continue;
            }
            if (!definition.isSingleton()) {
                Method first = methods.keySet().iterator().next();
                throw notSingleton(Origin.of(name, first.getDeclaringClass(), first));
            }
            factory.getBean(name);
        }
    }

    /**
     * Post-processors do not see the proxies of scoped beans, and the targets are created and destroyed at any time.
     */
    private static List<Found> findScoped(ConfigurableListableBeanFactory factory) {
        List<Found> scoped = new ArrayList<>();
        for (String target : factory.getBeanDefinitionNames()) {
            Class<?> type = ScopedProxyUtils.isScopedTarget(target)
                    ? AutoProxyUtils.determineTargetClass(factory, target)
                    : null;
            if (type != null) {
                String name = ScopedProxyUtils.getOriginalBeanName(target);
                DelayListenerMethods.find(type)
                        .forEach((method, declared) ->
                                scoped.add(new Found(factory.getBean(name), name, type, method, declared)));
            }
        }
        return scoped;
    }

    private ConfigurableListableBeanFactory required() {
        if (beanFactory == null) {
            throw new IllegalStateException("There is no bean factory");
        }
        return beanFactory;
    }

    private String defaultId(Found listener) {
        String base = listener.beanName() + "." + listener.method().getName();
        synchronized (defaultIds) {
            int count = defaultIds.merge(base, 1, Integer::sum);
            return count == 1 ? base : base + "#" + count;
        }
    }

    private record Found(Object bean, String beanName, Class<?> type, Method method, Declared declared) {

        Origin origin() {
            return Origin.of(beanName, type, method);
        }
    }

    /** Creates and registers the endpoints of methods that were found. */
    private final class Registration {

        private final ConfigurableListableBeanFactory beanFactory;
        private final DelayListenerEndpointRegistrar registrar;
        private final ListenerMethods methods;

        Registration(ConfigurableListableBeanFactory beanFactory, DelayListenerEndpointRegistrar registrar) {
            this.beanFactory = beanFactory;
            this.registrar = registrar;
            this.methods = new ListenerMethods(
                    beanFactory,
                    registrar.validator(),
                    registrar.argumentResolvers(),
                    () -> beanFactory.getBean(PayloadConverter.class));
        }

        void register(Found listener) {
            Origin origin = listener.origin();
            EndpointReader reader = new EndpointReader(new AttributeReader(beanFactory, origin), origin);
            try {
                ListenerMethod method = ListenerMethod.of(listener.bean(), listener.method());
                for (DelayListener annotation : listener.declared().listeners()) {
                    MethodListener made = methods.forMessages(method);
                    registrar.register(reader.read(annotation, id(reader, annotation.id(), listener), made));
                }
                for (DeadLetterListener annotation : listener.declared().deadLetterListeners()) {
                    DeadLetterHandler made = methods.forDeadLetters(method);
                    registrar.register(reader.read(annotation, id(reader, annotation.id(), listener), made));
                }
            } catch (InvalidSignatureException e) {
                throw origin.invalid(e);
            }
        }

        private String id(EndpointReader reader, String raw, Found listener) {
            String id = reader.id(raw);
            return id.isEmpty() ? defaultId(listener) : id;
        }
    }
}
