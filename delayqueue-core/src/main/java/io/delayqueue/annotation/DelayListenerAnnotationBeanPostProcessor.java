package io.delayqueue.annotation;

import io.delayqueue.Internal;
import io.delayqueue.annotation.ListenerMethods.AnnotatedMethod;
import io.delayqueue.convert.PayloadConverter;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;

/**
 * Finds methods annotated with {@link DelayListener} and {@link DeadLetterListener}. It registers them when all
 * singletons are created, and methods of later beans immediately. Lazy beans whose type is known to have such methods
 * are created, too. Declare it with a static {@code @Bean} method.
 *
 * <p>The registry may be a bean of a parent context. The listeners end with the context that declares them, before its
 * beans are destroyed. Only configurers of this context are called.
 *
 * <p>It needs a {@link DelayListenerRegistry} bean; if there are listeners, a {@link DelayListenerContainerFactory}
 * bean; and for dead-letter listeners with payloads a {@link PayloadConverter} bean.
 */
@Internal
public final class DelayListenerAnnotationBeanPostProcessor
        implements BeanPostProcessor,
                SmartInitializingSingleton,
                ApplicationListener<ContextClosedEvent>,
                DisposableBean,
                Ordered {

    private static final String SPRING = "org.springframework.";

    private final ConfigurableListableBeanFactory beanFactory;
    private static final Log log = LogFactory.getLog(DelayListenerAnnotationBeanPostProcessor.class);

    private final Set<Class<?>> withoutListeners = ConcurrentHashMap.newKeySet();
    /** Names of beans whose listeners were found. */
    private final Set<String> withListeners = ConcurrentHashMap.newKeySet();

    private final List<AnnotatedMethod> pending = new ArrayList<>();
    private @Nullable ListenerMethods methods;
    /** Null if the registry belongs to this context: it stops its listeners with the context. */
    private volatile @Nullable DelayListenerEndpointRegistrar ofParent;

    /** Creates the post-processor of a bean factory. */
    public DelayListenerAnnotationBeanPostProcessor(ConfigurableListableBeanFactory beanFactory) {
        this.beanFactory = beanFactory;
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
        Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
        if (withoutListeners.contains(type)) {
            return bean;
        }
        Map<Method, List<Annotation>> annotated = find(type);
        if (annotated.isEmpty()) {
            withoutListeners.add(type);
        }
        annotated.forEach((method, annotations) -> add(new AnnotatedMethod(bean, beanName, type, method, annotations)));
        return bean;
    }

    /** Whether a class has methods annotated as listeners. A bean of such a class must not be lazy. */
    public static boolean isListenerType(Class<?> type) {
        return !find(type).isEmpty();
    }

    /** The methods of a class that are annotated as listeners. */
    static Set<Method> listenerMethods(Class<?> type) {
        return find(type).keySet();
    }

    /** The methods and their annotations, in a stable order. */
    private static Map<Method, List<Annotation>> find(Class<?> type) {
        Map<Method, List<Annotation>> methods =
                new TreeMap<>(Comparator.comparing(Method::getName).thenComparing(Method::toGenericString));
        if (isCandidate(type)) {
            methods.putAll(MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<List<Annotation>>)
                    DelayListenerAnnotationBeanPostProcessor::annotationsOf));
        }
        return methods;
    }

    /**
     * Whether the methods of a class must be read, which loads the types of all signatures. Spring's own classes have no
     * listeners.
     */
    private static boolean isCandidate(Class<?> type) {
        return !type.getName().startsWith(SPRING)
                && AnnotationUtils.isCandidateClass(type, List.of(DelayListener.class, DeadLetterListener.class));
    }

    private static @Nullable List<Annotation> annotationsOf(Method method) {
        MergedAnnotations all = MergedAnnotations.from(
                method, SearchStrategy.TYPE_HIERARCHY, RepeatableContainers.standardRepeatables());
        if (!all.isPresent(DelayListener.class) && !all.isPresent(DeadLetterListener.class)) {
            return null;
        }
        return Stream.concat(nearest(all, DelayListener.class), nearest(all, DeadLetterListener.class))
                .toList();
    }

    /** An annotation on an overriding method replaces those of the overridden method. */
    private static <A extends Annotation> Stream<Annotation> nearest(MergedAnnotations annotations, Class<A> type) {
        List<MergedAnnotation<A>> all = annotations.stream(type).toList();
        return all.stream()
                .filter(each -> each.getAggregateIndex() == all.get(0).getAggregateIndex())
                .map(MergedAnnotation::synthesize);
    }

    private void add(AnnotatedMethod listener) {
        withListeners.add(listener.beanName());
        if (beanFactory.containsBean(listener.beanName()) && !beanFactory.isSingleton(listener.beanName())) {
            throw notSingleton(listener.origin());
        }
        synchronized (pending) {
            if (methods == null) {
                pending.add(listener);
                return;
            }
        }
        methods.register(listener);
    }

    private static InvalidListenerException notSingleton(Origin origin) {
        return origin.invalid(
                "Its bean is not a singleton: no listener would run until an instance is created, and every instance"
                        + " would add a listener.",
                "Make the bean a singleton, or give its scope a proxy (proxyMode).");
    }

    @Override
    public void afterSingletonsInstantiated() {
        createLazyListeners();
        DelayListenerRegistry registry = beanFactory.getBean(DelayListenerRegistry.class);
        DelayListenerEndpointRegistrar registrar = new DelayListenerEndpointRegistrar(beanFactory, registry);
        if (beanFactory.getBeanNamesForType(DelayListenerRegistry.class, true, false).length == 0) {
            ofParent = registrar;
        }
        Collection<DelayListenerConfigurer> own =
                beanFactory.getBeansOfType(DelayListenerConfigurer.class).values();
        beanFactory
                .getBeanProvider(DelayListenerConfigurer.class)
                .orderedStream()
                .filter(own::contains)
                .forEach(configurer -> configurer.configureDelayListeners(registrar));
        ListenerMethods ready = new ListenerMethods(beanFactory, registrar);
        List<AnnotatedMethod> early;
        synchronized (pending) {
            methods = ready;
            early = List.copyOf(pending);
            pending.clear();
        }
        early.forEach(ready::register);
        registerScoped(ready);
        logNotRegistered();
        withoutListeners.clear();
        withListeners.clear();
    }

    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        if (event.getApplicationContext().getAutowireCapableBeanFactory() == beanFactory) {
            destroy();
        }
    }

    /** Ends the listeners of this context, also if its start failed. */
    @Override
    public void destroy() {
        DelayListenerEndpointRegistrar registrar = ofParent;
        if (registrar != null) {
            registrar.removeAll();
        }
    }

    /**
     * Creates lazy beans with listeners, because a lazy bean that is never requested would never listen. Fails if
     * such a bean is not a singleton.
     */
    private void createLazyListeners() {
        for (String name : beanFactory.getBeanDefinitionNames()) {
            BeanDefinition definition = beanFactory.getMergedBeanDefinition(name);
            boolean created =
                    definition.isSingleton() && (!definition.isLazyInit() || beanFactory.containsSingleton(name));
            if (created || definition.isAbstract() || ScopedProxyUtils.isScopedTarget(name)) {
                continue;
            }
            Class<?> type = beanFactory.getType(name, false);
            Map<Method, List<Annotation>> annotated = type == null ? Map.of() : find(type);
            if (annotated.isEmpty()) {
                continue;
            }
            if (!definition.isSingleton()) {
                Method first = annotated.keySet().iterator().next();
                throw notSingleton(Origin.of(name, first.getDeclaringClass(), first));
            }
            beanFactory.getBean(name);
        }
    }

    /** Names beans that no post-processor sees, because they were registered as objects, as a test registers mocks. */
    private void logNotRegistered() {
        for (String name : beanFactory.getSingletonNames()) {
            Object bean = withListeners.contains(name) ? null : beanFactory.getSingleton(name);
            Class<?> type = bean == null ? null : AopProxyUtils.ultimateTargetClass(bean);
            if (type != null && !withoutListeners.contains(type) && !find(type).isEmpty()) {
                log.info("The listeners of bean '" + name + "' (" + type.getName() + ") are not registered, because the"
                        + " bean is an object that Spring did not create, for example a mock");
            }
        }
    }

    /**
     * Registers the methods of scoped beans on their proxies. Post-processors do not see these proxies, and the targets
     * are created and destroyed at any time.
     */
    private void registerScoped(ListenerMethods ready) {
        for (String target : beanFactory.getBeanDefinitionNames()) {
            Class<?> type = ScopedProxyUtils.isScopedTarget(target)
                    ? AutoProxyUtils.determineTargetClass(beanFactory, target)
                    : null;
            if (type != null) {
                String name = ScopedProxyUtils.getOriginalBeanName(target);
                find(type)
                        .forEach((method, annotations) -> ready.register(
                                new AnnotatedMethod(beanFactory.getBean(name), name, type, method, annotations)));
            }
        }
    }
}
