package io.delayqueue.annotation;

import io.delayqueue.annotation.DelayListenerEndpoint.Handling.OfDeadLetters;
import io.delayqueue.annotation.DelayListenerEndpoint.Handling.OfMessages;
import io.delayqueue.convert.PayloadCodec;
import io.delayqueue.convert.PayloadConversionException;
import io.delayqueue.convert.PayloadConverter;
import io.delayqueue.message.DeadLetter;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
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
     * Registers an endpoint for each annotation of a method.
     *
     * @throws InvalidListenerException if the method does not fit an annotation or an attribute is invalid
     */
    void register(AnnotatedMethod annotated) {
        Origin origin = annotated.origin();
        EndpointReader reader = new EndpointReader(beanFactory, origin, () -> defaultId(annotated));
        ListenerMethod method =
                new ListenerMethod(annotated.bean(), annotated.type(), annotated.method(), origin, resolvers);
        for (Annotation annotation : annotated.annotations()) {
            registrar.register(
                    annotation instanceof DelayListener listener
                            ? reader.read(listener, ofMessages(method, origin))
                            : reader.read((DeadLetterListener) annotation, ofDeadLetters(method, origin)));
        }
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
            return codec.read(deadLetter.envelope().payload(), signature.payloadType());
        } catch (PayloadConversionException e) {
            if (signature.isPayloadOptional()) {
                return ArgumentResolvers.UNREADABLE;
            }
            throw e;
        }
    }
}
