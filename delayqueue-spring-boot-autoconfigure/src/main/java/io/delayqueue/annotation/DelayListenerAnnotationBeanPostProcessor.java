package io.delayqueue.annotation;

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
 * Finds the methods annotated with {@link DelayListener} and {@link DeadLetterListener}, and registers them once all
 * singletons are made; those of beans that are made later, at once. Beans of a type that is known to have such methods
 * are made even if they are lazy. To be declared by a static {@code @Bean} method.
 *
 * <p>It needs a {@link DelayListenerRegistry} bean, and where there are listeners a {@link DelayListenerContainerFactory}
 * bean; for dead letters with payloads also a {@link PayloadConverter} bean.
 */
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
            throw listener.origin()
                    .invalid(
                            "Its bean is not a singleton, and each instance would listen anew.",
                            "Make the bean a singleton, or give its scope a proxy (proxyMode).");
        }
        synchronized (found) {
            if (registration == null) {
                found.add(listener);
                return;
            }
        }
        registration.register(listener);
    }

    @Override
    public void afterSingletonsInstantiated() {
        ConfigurableListableBeanFactory factory = required();
        makeLazyListeners(factory);
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

    /** A listener that nobody asks for would never listen: its bean is made however lazy it is. */
    private static void makeLazyListeners(ConfigurableListableBeanFactory factory) {
        for (String name : factory.getBeanDefinitionNames()) {
            BeanDefinition definition = factory.getMergedBeanDefinition(name);
            if (!definition.isLazyInit()
                    || !definition.isSingleton()
                    || definition.isAbstract()
                    || ScopedProxyUtils.isScopedTarget(name)
                    || factory.containsSingleton(name)) {
                continue;
            }
            Class<?> type = factory.getType(name, false);
            if (type != null && DelayListenerMethods.isListenerType(type)) {
                factory.getBean(name);
            }
        }
    }

    /** The proxies of scoped beans pass by no post-processor, and their targets come and go. */
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

    /** Makes endpoints of what was found. */
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
