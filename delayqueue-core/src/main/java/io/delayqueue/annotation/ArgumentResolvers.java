package io.delayqueue.annotation;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.convert.ConversionService;
import org.springframework.format.support.DefaultFormattingConversionService;
import org.springframework.messaging.Message;
import org.springframework.messaging.converter.MessageConverter;
import org.springframework.messaging.converter.SimpleMessageConverter;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.annotation.support.HeaderMethodArgumentResolver;
import org.springframework.messaging.handler.annotation.support.HeadersMethodArgumentResolver;
import org.springframework.messaging.handler.annotation.support.MessageMethodArgumentResolver;
import org.springframework.messaging.handler.annotation.support.PayloadMethodArgumentResolver;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolverComposite;
import org.springframework.validation.Validator;

/** Resolves a method's arguments from a {@link DeliveryMessage}. */
final class ArgumentResolvers {

    private ArgumentResolvers() {}

    /** Replaces an unreadable payload if the parameter is optional. */
    static final Object UNREADABLE = new Object();

    /** The converter that the superclasses require is never used, because the engine converts the payload. */
    static HandlerMethodArgumentResolverComposite of(
            ConfigurableBeanFactory beanFactory,
            @Nullable Validator validator,
            List<HandlerMethodArgumentResolver> custom) {
        ConversionService conversions = Objects.requireNonNullElseGet(
                beanFactory.getConversionService(), DefaultFormattingConversionService::new);
        return new HandlerMethodArgumentResolverComposite()
                .addResolvers(
                        new TextHeadersResolver(),
                        new HeaderMethodArgumentResolver(conversions, beanFactory),
                        new HeadersMethodArgumentResolver())
                .addResolvers(custom)
                .addResolvers(
                        new DeliveryResolver(),
                        new MessageMethodArgumentResolver(),
                        new PayloadResolver(new SimpleMessageConverter(), validator));
    }

    /** Treats blank text and empty arrays as payloads, unlike its superclass. */
    private static final class PayloadResolver extends PayloadMethodArgumentResolver {

        PayloadResolver(MessageConverter converter, @Nullable Validator validator) {
            super(converter, validator);
        }

        @Override
        protected boolean isEmptyPayload(@Nullable Object payload) {
            return payload == null || payload == UNREADABLE;
        }
    }

    /** Resolves {@code @Headers Map<String, String>}, with standard headers as text. */
    private static final class TextHeadersResolver implements HandlerMethodArgumentResolver {

        @Override
        public boolean supportsParameter(MethodParameter parameter) {
            return parameter.hasParameterAnnotation(Headers.class)
                    && parameter.getParameterType() == Map.class
                    && ResolvableType.forMethodParameter(parameter)
                                    .getGeneric(1)
                                    .resolve()
                            == String.class;
        }

        @Override
        public Object resolveArgument(MethodParameter parameter, Message<?> message) {
            Map<String, String> headers = new TreeMap<>();
            message.getHeaders().forEach((name, value) -> headers.put(name, value.toString()));
            return headers;
        }
    }

    private static final class DeliveryResolver implements HandlerMethodArgumentResolver {

        @Override
        public boolean supportsParameter(MethodParameter parameter) {
            return switch (Signature.role(parameter, List.of())) {
                case DELIVERY, ACKNOWLEDGEMENT, DEAD_LETTER, CONTINUATION -> true;
                default -> false;
            };
        }

        @Override
        public @Nullable Object resolveArgument(MethodParameter parameter, Message<?> message) {
            DeliveryMessage source = (DeliveryMessage) message;
            return switch (Signature.role(parameter, List.of())) {
                case DELIVERY -> source.delivery();
                case ACKNOWLEDGEMENT -> source.delivery().acknowledgement();
                case DEAD_LETTER -> source.deadLetter();
                default -> null;
            };
        }
    }
}
