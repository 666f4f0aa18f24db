package io.delayqueue.annotation;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanNotOfRequiredTypeException;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;
import org.springframework.util.Assert;
import org.springframework.validation.Validator;

/**
 * Registers listeners for a {@link DelayListenerConfigurer}. Use it only during the configurer's call. Not
 * thread-safe.
 */
public final class DelayListenerEndpointRegistrar {

    /** The name of the default container factory. */
    public static final String DEFAULT_CONTAINER_FACTORY = "delayListenerContainerFactory";

    private final BeanFactory beanFactory;
    private final DelayListenerRegistry registry;
    private final List<HandlerMethodArgumentResolver> argumentResolvers = new ArrayList<>();
    private final Set<String> registered = ConcurrentHashMap.newKeySet();
    private @Nullable Validator validator;

    DelayListenerEndpointRegistrar(BeanFactory beanFactory, DelayListenerRegistry registry) {
        this.beanFactory = beanFactory;
        this.registry = registry;
    }

    /**
     * Registers a listener with the container factory that it names, or with the default one.
     *
     * @throws InvalidListenerException if the declaration is invalid
     */
    public void register(DelayListenerEndpoint endpoint) {
        register(endpoint, factory(endpoint));
    }

    /**
     * Registers a listener with a container factory.
     *
     * @throws InvalidListenerException if the declaration is invalid
     */
    public void register(DelayListenerEndpoint endpoint, DelayListenerContainerFactory factory) {
        registry.register(endpoint, factory);
        registered.add(endpoint.id());
    }

    /** Sets the validator for payload parameters with {@code @Valid} or {@code @Validated}. */
    public void setValidator(@Nullable Validator validator) {
        this.validator = validator;
    }

    /** Adds a resolver for parameters of listener methods. Without it such a parameter would be the payload. */
    public void addArgumentResolver(HandlerMethodArgumentResolver resolver) {
        Assert.notNull(resolver, "'resolver' must not be null");
        argumentResolvers.add(resolver);
    }

    /** Removes the listeners that were registered here from the registry. */
    void removeAll() {
        registry.remove(registered);
        registered.clear();
    }

    @Nullable
    Validator validator() {
        return validator;
    }

    List<HandlerMethodArgumentResolver> argumentResolvers() {
        return argumentResolvers;
    }

    private DelayListenerContainerFactory factory(DelayListenerEndpoint endpoint) {
        String name = endpoint.containerFactory().isEmpty() ? DEFAULT_CONTAINER_FACTORY : endpoint.containerFactory();
        try {
            return beanFactory.getBean(name, DelayListenerContainerFactory.class);
        } catch (NoSuchBeanDefinitionException | BeanNotOfRequiredTypeException e) {
            String problem = e instanceof BeanNotOfRequiredTypeException other
                    ? "is a " + other.getActualType().getName()
                    : "does not exist";
            throw endpoint.origin()
                    .invalid(
                            "Its container factory, the bean '" + name + "', " + problem + ".",
                            "Name a bean of type DelayListenerContainerFactory as its containerFactory.",
                            e);
        }
    }
}
