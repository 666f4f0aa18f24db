package io.delayqueue.annotation.method;

import io.delayqueue.convert.PayloadCodec;
import io.delayqueue.convert.PayloadConversionException;
import io.delayqueue.convert.PayloadConverter;
import io.delayqueue.listener.DeadLetterHandler;
import io.delayqueue.message.DeadLetter;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.MethodParameter;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolverComposite;
import org.springframework.validation.Validator;

/** Creates handlers from methods. The handlers are thread-safe if the bean is. */
public final class ListenerMethods {

    private final boolean validates;
    private final List<HandlerMethodArgumentResolver> custom;
    private final HandlerMethodArgumentResolverComposite resolvers;
    private final PayloadCodec codec;

    /**
     * Creates a factory of handlers.
     *
     * @param beanFactory resolves placeholders and converts headers
     * @param validator validates payload parameters with {@code @Valid} or {@code @Validated}; null if there is none
     * @param custom resolve parameters of other types; a parameter that they support is not the payload
     * @param converter supplies the converter for payloads of dead letters when it is first needed
     */
    public ListenerMethods(
            @Nullable ConfigurableBeanFactory beanFactory,
            @Nullable Validator validator,
            List<HandlerMethodArgumentResolver> custom,
            Supplier<PayloadConverter> converter) {
        this.validates = validator != null;
        this.custom = List.copyOf(custom);
        this.resolvers = ArgumentResolvers.of(beanFactory, validator, this.custom);
        this.codec = new PayloadCodec(new LazyConverter(converter));
    }

    /**
     * Creates a handler of messages, one by one or in batches.
     *
     * @throws InvalidSignatureException if the signature does not fit
     */
    public MethodListener forMessages(ListenerMethod method) {
        MethodInvoker invoker = new MethodInvoker(method, resolvers);
        ResultType result = ResultType.of(method);
        MethodParameter[] parameters = invoker.getMethodParameters();
        if (Arrays.stream(parameters).anyMatch(parameter -> Signature.isBatch(parameter, custom))) {
            BatchSignature batch = BatchSignature.of(parameters, custom);
            return new MethodListener(
                    batch.payloadType(),
                    true,
                    deliveries -> result.stage(invoker.doInvoke(batch.arguments(deliveries))));
        }
        Signature signature = Signature.of(parameters, custom, validates, false);
        return new MethodListener(
                signature.payloadType(),
                false,
                deliveries -> result.stage(invoker.invoke(DeliveryMessage.of(deliveries.get(0)))));
    }

    /**
     * Creates a handler of dead letters.
     *
     * @throws InvalidSignatureException if the signature does not fit
     */
    public DeadLetterHandler forDeadLetters(ListenerMethod method) {
        MethodInvoker invoker = new MethodInvoker(method, resolvers);
        ResultType result = ResultType.of(method);
        MethodParameter[] parameters = invoker.getMethodParameters();
        for (MethodParameter parameter : parameters) {
            if (Signature.isBatch(parameter, custom)) {
                throw new InvalidSignatureException(
                        "Its parameter " + Signature.describe(parameter)
                                + " means a batch, but dead letters are handled one by one.",
                        "Take a DeadLetter, or the payload. Use an array for a payload that is itself a list.");
            }
        }
        Signature signature = Signature.of(parameters, custom, validates, true);
        return (deadLetter, notification) -> result.stage(
                invoker.invoke(DeliveryMessage.of(deadLetter, payload(deadLetter, signature), notification)));
    }

    private Object payload(DeadLetter deadLetter, Signature signature) {
        try {
            return codec.read(deadLetter.envelope().payload(), signature.payloadType());
        } catch (PayloadConversionException e) {
            if (signature.isPayloadOptional()) {
                return ArgumentResolvers.NoPayload.UNREADABLE;
            }
            throw e;
        }
    }

    /** Gets the converter when a payload must be converted: listeners of text and bytes need none. */
    private record LazyConverter(Supplier<PayloadConverter> converter) implements PayloadConverter {

        @Override
        public byte[] write(Object payload) {
            return converter.get().write(payload);
        }

        @Override
        public Object read(byte[] body, Type type) {
            return converter.get().read(body, type);
        }
    }
}
