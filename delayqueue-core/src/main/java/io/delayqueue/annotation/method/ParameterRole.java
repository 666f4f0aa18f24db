package io.delayqueue.annotation.method;

import io.delayqueue.listener.Acknowledgement;
import io.delayqueue.listener.Delivery;
import io.delayqueue.message.DeadLetter;
import java.util.List;
import org.springframework.core.MethodParameter;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;
import org.springframework.messaging.support.MessageHeaderAccessor;

/** The role of a parameter. */
enum ParameterRole {
    HEADER,
    HEADERS,
    MESSAGE,
    DELIVERY,
    ACKNOWLEDGEMENT,
    DEAD_LETTER,
    CONTINUATION,
    CUSTOM,
    PAYLOAD;

    static ParameterRole of(MethodParameter parameter, List<HandlerMethodArgumentResolver> custom) {
        Class<?> type = parameter.getParameterType();
        if (parameter.hasParameterAnnotation(Header.class)) {
            return HEADER;
        }
        if (parameter.hasParameterAnnotation(Headers.class)
                || type == MessageHeaders.class
                || MessageHeaderAccessor.class.isAssignableFrom(type)) {
            return HEADERS;
        }
        if (parameter.hasParameterAnnotation(Payload.class)) {
            return PAYLOAD;
        }
        if (custom.stream().anyMatch(resolver -> resolver.supportsParameter(parameter))) {
            return CUSTOM;
        }
        return byType(type);
    }

    private static ParameterRole byType(Class<?> type) {
        if (type == Delivery.class) {
            return DELIVERY;
        }
        if (type == Acknowledgement.class) {
            return ACKNOWLEDGEMENT;
        }
        if (type == DeadLetter.class) {
            return DEAD_LETTER;
        }
        if (type.getName().equals("kotlin.coroutines.Continuation")) {
            return CONTINUATION;
        }
        return Message.class.isAssignableFrom(type) ? MESSAGE : PAYLOAD;
    }
}
