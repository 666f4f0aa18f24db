package io.delayqueue.annotation;

import io.delayqueue.annotation.DelayListenerEndpoint.Handling.OfDeadLetters;
import io.delayqueue.annotation.DelayListenerEndpoint.Handling.OfMessages;
import io.delayqueue.annotation.OnceHandling.OnceMethod;
import io.delayqueue.annotation.Signature.Role;
import io.delayqueue.convert.PayloadCodec;
import io.delayqueue.convert.PayloadConversionException;
import io.delayqueue.convert.PayloadConverter;
import io.delayqueue.message.DeadLetter;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolverComposite;

/** Creates handlers from listener methods and registers them. The handlers are thread-safe if the bean is. */
final class ListenerMethods {

    private final ConfigurableBeanFactory beanFactory;
    private final DelayListenerEndpointRegistrar registrar;
    private final List<HandlerMethodArgumentResolver> custom;
    private final HandlerMethodArgumentResolverComposite resolvers;
    private final PayloadCodec codec;
    private final Map<String, Integer> defaultIds = new HashMap<>();

    /**
     * Creates a factory of handlers.
     *
     * @param registrar has the validator and the resolvers of the configurers
     */
    ListenerMethods(ConfigurableBeanFactory beanFactory, DelayListenerEndpointRegistrar registrar) {
        this.beanFactory = beanFactory;
        this.registrar = registrar;
        this.custom = List.copyOf(registrar.argumentResolvers());
        this.resolvers = ArgumentResolvers.of(beanFactory, registrar.validator(), custom);
        this.codec = new PayloadCodec(() -> beanFactory.getBean(PayloadConverter.class));
    }

    /**
     * A method with annotations of listeners.
     *
     * @param bean the bean, or its proxy
     * @param type the class of the bean, without a proxy
     * @param annotations each a {@link DelayListener} or {@link DeadLetterListener}
     */
    record AnnotatedMethod(Object bean, String beanName, Class<?> type, Method method, List<Annotation> annotations) {

        Origin origin() {
            return Origin.of(beanName, type, method);
        }
    }

    /**
     * Registers the endpoints of each annotation of a method.
     *
     * @throws InvalidListenerException if the method does not fit an annotation or an attribute is invalid
     */
    void register(AnnotatedMethod annotated) {
        Origin origin = annotated.origin();
        EndpointReader reader = new EndpointReader(beanFactory, origin, () -> defaultId(annotated));
        ListenerMethod method =
                new ListenerMethod(annotated.bean(), annotated.type(), annotated.method(), origin, resolvers);
        for (Annotation annotation : annotated.annotations()) {
            List<DelayListenerEndpoint> endpoints = annotation instanceof DelayListener listener
                    ? ofMessages(listener, reader, method, annotated)
                    : reader.read((DeadLetterListener) annotation, ofDeadLetters(method, origin));
            endpoints.forEach(registrar::register);
        }
    }

    private List<DelayListenerEndpoint> ofMessages(
            DelayListener annotation, EndpointReader reader, ListenerMethod method, AnnotatedMethod annotated) {
        OfMessages messages = ofMessages(method, annotated.origin());
        return reader.read(annotation, messages, id -> once(id, messages, method, annotated));
    }

    private OfMessages once(String id, OfMessages messages, ListenerMethod method, AnnotatedMethod annotated) {
        Origin origin = annotated.origin();
        if (method.isAsynchronous()) {
            throw origin.invalid(
                    "It has once, but its result is asynchronous: the transaction would end before the message is"
                            + " handled.",
                    "Return void, or remove once.");
        }
        if (Arrays.stream(method.getMethodParameters())
                .anyMatch(parameter -> Signature.role(parameter, custom) == Role.ACKNOWLEDGEMENT)) {
            throw origin.invalid(
                    "It has once and takes an Acknowledgement, but a settlement is not part of the transaction.",
                    "Remove the parameter, and settle the message by returning or throwing; or remove once.");
        }
        OnceHandling handling = beanFactory.getBeanProvider(OnceHandling.class).getIfAvailable();
        if (handling == null) {
            throw origin.invalid(
                    "It has once, which requires the artifact delayqueue-jdbc.",
                    "Add the dependency io.delayqueue:delayqueue-jdbc, or remove once.");
        }
        OnceMethod once = new OnceMethod(id, annotated.type(), annotated.method(), origin::invalid);
        return new OfMessages(messages.payloadType(), messages.batch(), handling.once(once, messages.handler()));
    }

    private String defaultId(AnnotatedMethod annotated) {
        String base = annotated.beanName() + "." + annotated.method().getName();
        synchronized (defaultIds) {
            int count = defaultIds.merge(base, 1, Integer::sum);
            return count == 1 ? base : base + "#" + count;
        }
    }

    private OfMessages ofMessages(ListenerMethod method, Origin origin) {
        Signature signature = signature(method, false, origin);
        return new OfMessages(
                signature.payloadType(),
                signature.isBatch(),
                signature.isBatch()
                        ? deliveries -> method.callWithLists(signature.lists(deliveries))
                        : deliveries -> method.call(DeliveryMessage.of(deliveries.get(0))));
    }

    private OfDeadLetters ofDeadLetters(ListenerMethod method, Origin origin) {
        Signature signature = signature(method, true, origin);
        return new OfDeadLetters((deadLetter, notification) ->
                method.call(DeliveryMessage.of(deadLetter, payload(deadLetter, signature), notification)));
    }

    private Signature signature(ListenerMethod method, boolean deadLetters, Origin origin) {
        return Signature.of(method.getMethodParameters(), custom, registrar.validator() != null, deadLetters, origin);
    }

    private Object payload(DeadLetter deadLetter, Signature signature) {
        try {
            return codec.read(deadLetter.envelope().payload(), signature.payloadType(), deadLetter.topic());
        } catch (PayloadConversionException e) {
            if (signature.isPayloadOptional()) {
                return ArgumentResolvers.UNREADABLE;
            }
            throw e;
        }
    }
}
