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

/** Makes handlers of methods. Whatever it makes is thread-safe as far as the bean is. */
public final class ListenerMethods {

    private final boolean validates;
    private final List<HandlerMethodArgumentResolver> custom;
    private final HandlerMethodArgumentResolverComposite resolvers;
    private final PayloadCodec codec;

    /**
     * With what arguments may need.
     *
     * @param beanFactory for the placeholders and the conversion of headers
     * @param validator for payloads that ask for it
     * @param custom for parameters that nothing here knows; asked before a parameter is taken for the payload
     * @param converter for the payloads of dead letters; asked once there is one
     */
    public ListenerMethods(
            @Nullable ConfigurableBeanFactory beanFactory,
            @Nullable Validator validator,
            List<HandlerMethodArgumentResolver> custom,
            Supplier<PayloadConverter> converter) {
        this.validates = validator != null;
        this.custom = List.copyOf(custom);
        this.resolvers = ArgumentResolvers.of(beanFactory, validator, this.custom);
        this.codec = new PayloadCodec(new Late(converter));
    }

    /**
     * A handler of messages, one by one or in batches.
     *
     * @throws InvalidSignatureException if the method can't be one
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
     * A handler of dead letters.
     *
     * @throws InvalidSignatureException if the method can't be one
     */
    public DeadLetterHandler forDeadLetters(ListenerMethod method) {
        MethodInvoker invoker = new MethodInvoker(method, resolvers);
        ResultType result = ResultType.of(method);
        MethodParameter[] parameters = invoker.getMethodParameters();
        for (MethodParameter parameter : parameters) {
            if (Signature.isBatch(parameter, custom)) {
                throw new InvalidSignatureException(
                        "Its parameter " + Signature.describe(parameter)
                                + " means a batch, but dead letters come one by one.",
                        "Take a DeadLetter, or the payload. A payload that is itself a list is taken as an array.");
            }
        }
        Signature signature = Signature.of(parameters, custom, validates, true);
        return (letter, notice) ->
                result.stage(invoker.invoke(DeliveryMessage.of(letter, payload(letter, signature), notice)));
    }

    private Object payload(DeadLetter letter, Signature signature) {
        try {
            return codec.read(letter.envelope().payload(), signature.payloadType());
        } catch (PayloadConversionException e) {
            if (signature.doesWithoutPayload()) {
                return ArgumentResolvers.NoPayload.UNREADABLE;
            }
            throw e;
        }
    }

    /** A converter that is asked for when there is something to convert: listeners of text and bytes need none. */
    private record Late(Supplier<PayloadConverter> converter) implements PayloadConverter {

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
