package io.delayqueue.annotation.method;

import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;
import org.springframework.messaging.support.MessageHeaderAccessor;
import org.springframework.util.StringUtils;
import org.springframework.validation.annotation.ValidationAnnotationUtils;

/** The checked parameters of a method that takes one delivery. */
final class Signature {

    private final List<HandlerMethodArgumentResolver> custom;
    private final boolean validates;
    private final List<MethodParameter> payloads = new ArrayList<>();
    private final Set<Type> messages = new LinkedHashSet<>();

    private Signature(List<HandlerMethodArgumentResolver> custom, boolean validates) {
        this.custom = custom;
        this.validates = validates;
    }

    /**
     * Reads a method's parameters.
     *
     * @param validates whether there is a validator
     * @param deadLettered whether the method handles dead letters
     */
    static Signature of(
            MethodParameter[] parameters,
            List<HandlerMethodArgumentResolver> custom,
            boolean validates,
            boolean deadLettered) {
        Signature signature = new Signature(custom, validates);
        for (MethodParameter parameter : parameters) {
            signature.add(parameter, deadLettered);
        }
        signature.checkPayloads();
        return signature;
    }

    /** Whether the parameter takes a batch. */
    static boolean isBatch(MethodParameter parameter, List<HandlerMethodArgumentResolver> custom) {
        return parameter.getParameterType() == List.class
                && ParameterRole.of(parameter, custom) == ParameterRole.PAYLOAD;
    }

    /** The type to which the payload is converted; {@code byte[]} if no parameter takes the payload. */
    Type payloadType() {
        if (!payloads.isEmpty()) {
            return typeOf(payloads.get(0));
        }
        return messages.isEmpty() ? byte[].class : messages.iterator().next();
    }

    /** Whether the method can be called without a payload, if there is none that can be read. */
    boolean isPayloadOptional() {
        if (payloads.isEmpty()) {
            return messages.isEmpty();
        }
        MethodParameter parameter = payloads.get(0);
        Payload annotation = parameter.getParameterAnnotation(Payload.class);
        return parameter.getParameterType() == Optional.class || (annotation != null && !annotation.required());
    }

    private void add(MethodParameter parameter, boolean deadLettered) {
        ParameterRole role = ParameterRole.of(parameter, custom);
        if (role == ParameterRole.PAYLOAD) {
            checkPayload(parameter);
            payloads.add(parameter);
        } else if (role == ParameterRole.MESSAGE) {
            addMessage(parameter);
        } else if (role == ParameterRole.DEAD_LETTER && !deadLettered) {
            throw new InvalidSignatureException(
                    "It takes a DeadLetter, which is available only to listeners of dead letters.",
                    "Annotate it with @DeadLetterListener, or remove the parameter.");
        } else if (role == ParameterRole.HEADERS && !takesHeaders(parameter)) {
            throw new InvalidSignatureException(
                    "Its parameter " + describe(parameter)
                            + " is annotated with @Headers, but has an unsupported type.",
                    "Make it a Map<String, Object>, a Map<String, String> or MessageHeaders.");
        }
    }

    private void checkPayload(MethodParameter parameter) {
        Payload annotation = parameter.getParameterAnnotation(Payload.class);
        if (annotation != null && StringUtils.hasText(annotation.expression())) {
            throw new InvalidSignatureException(
                    "Its parameter " + describe(parameter)
                            + " selects the payload by an expression, which is not supported.",
                    "Take the whole payload instead.");
        }
        boolean asksForValidation = Arrays.stream(parameter.getParameterAnnotations())
                .anyMatch(each -> ValidationAnnotationUtils.determineValidationHints(each) != null);
        if (asksForValidation && !validates) {
            throw new InvalidSignatureException(
                    "Its parameter " + describe(parameter) + " requires validation, but there is no validator.",
                    "Add spring-boot-starter-validation, or set a validator with a DelayListenerConfigurer.");
        }
    }

    private void addMessage(MethodParameter parameter) {
        Type type =
                PayloadTypes.ofMessage(ResolvableType.forMethodParameter(parameter), parameter.getContainingClass());
        if (type != null) {
            messages.add(type);
        }
    }

    private void checkPayloads() {
        if (payloads.size() > 1) {
            throw new InvalidSignatureException(
                    "Its parameters " + describe(payloads) + " both take the payload, and there is only one.",
                    "Annotate the others with @Header, or use one type with all data.");
        }
        Set<Type> types = new LinkedHashSet<>(messages);
        payloads.forEach(parameter -> types.add(typeOf(parameter)));
        if (types.size() > 1) {
            throw new InvalidSignatureException(
                    "It declares the payload with different types: "
                            + types.stream().map(Type::getTypeName).collect(Collectors.joining(" and ")) + ".",
                    "Use the same type, or Message<?>.");
        }
    }

    private static boolean takesHeaders(MethodParameter parameter) {
        Class<?> type = parameter.getParameterType();
        return !parameter.hasParameterAnnotation(Headers.class)
                || type == Map.class
                || type == MessageHeaders.class
                || MessageHeaderAccessor.class.isAssignableFrom(type);
    }

    private static Type typeOf(MethodParameter parameter) {
        Type declared = parameter.nestedIfOptional().getNestedGenericParameterType();
        Type type = PayloadTypes.named(declared, parameter.getContainingClass());
        return type == null ? Object.class : type;
    }

    private static String describe(List<MethodParameter> parameters) {
        return parameters.stream().map(Signature::describe).collect(Collectors.joining(" and "));
    }

    static String describe(MethodParameter parameter) {
        return "'" + parameter.getGenericParameterType().getTypeName() + " "
                + parameter.getParameter().getName() + "'";
    }
}
