package io.delayqueue.annotation;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanNotOfRequiredTypeException;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;
import org.springframework.validation.Validator;

/** Where a {@link DelayListenerConfigurer} registers listeners. To be used during its call only; not thread-safe. */
public final class DelayListenerEndpointRegistrar {

    /** The name of the default container factory. */
    public static final String DEFAULT_CONTAINER_FACTORY = "delayListenerContainerFactory";

    private final BeanFactory beanFactory;
    private final DelayListenerRegistry registry;
    private final List<HandlerMethodArgumentResolver> argumentResolvers = new ArrayList<>();
    private @Nullable Validator validator;

    DelayListenerEndpointRegistrar(BeanFactory beanFactory, DelayListenerRegistry registry) {
        this.beanFactory = beanFactory;
        this.registry = registry;
    }

    /**
     * Registers a listener, to be run by the container factory that it names or by the default one.
     *
     * @throws InvalidListenerException if it can't be run as it was declared
     */
    public void register(DelayListenerEndpoint endpoint) {
        registry.register(endpoint, factory(endpoint));
    }

    /**
     * Registers a listener, to be run by a container factory.
     *
     * @throws InvalidListenerException if it can't be run as it was declared
     */
    public void register(DelayListenerEndpoint endpoint, DelayListenerContainerFactory factory) {
        registry.register(endpoint, factory);
    }

    /** Sets what validates the payloads of methods that ask for it. */
    public void setValidator(@Nullable Validator validator) {
        this.validator = validator;
    }

    /** Adds a resolver for parameters of listener methods that would else be taken for the payload. */
    public void addArgumentResolver(HandlerMethodArgumentResolver resolver) {
        argumentResolvers.add(Objects.requireNonNull(resolver, "resolver"));
    }

    @Nullable
    Validator validator() {
        return validator;
    }

    List<HandlerMethodArgumentResolver> argumentResolvers() {
        return argumentResolvers;
    }

    private DelayListenerContainerFactory factory(DelayListenerEndpoint endpoint) {
        String name = endpoint.containerFactory();
        try {
            return beanFactory.getBean(
                    name.isEmpty() ? DEFAULT_CONTAINER_FACTORY : name, DelayListenerContainerFactory.class);
        } catch (NoSuchBeanDefinitionException e) {
            throw endpoint.origin()
                    .invalid(
                            "There is no bean '" + e.getBeanName() + "', which is to run it.",
                            "Name a bean of type DelayListenerContainerFactory as its containerFactory.",
                            e);
        } catch (BeanNotOfRequiredTypeException e) {
            throw endpoint.origin()
                    .invalid(
                            "The bean '" + e.getBeanName() + "', which is to run it, is a "
                                    + e.getActualType().getName() + ".",
                            "Name a bean of type DelayListenerContainerFactory as its containerFactory.",
                            e);
        }
    }
}
