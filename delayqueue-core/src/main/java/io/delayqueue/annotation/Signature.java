package io.delayqueue.annotation;

import io.delayqueue.listener.Acknowledgement;
import io.delayqueue.listener.Delivery;
import io.delayqueue.message.DeadLetter;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;
import org.springframework.messaging.support.MessageHeaderAccessor;
import org.springframework.util.StringUtils;
import org.springframework.validation.annotation.ValidationAnnotationUtils;

/** The checked parameters of a listener method, which takes one delivery or, in lists, a batch. */
final class Signature {

    /** What a parameter takes. */
    enum Role {
        HEADER,
        HEADERS,
        MESSAGE,
        DELIVERY,
        ACKNOWLEDGEMENT,
        DEAD_LETTER,
        CONTINUATION,
        CUSTOM,
        PAYLOAD
    }

    private final List<HandlerMethodArgumentResolver> custom;
    private final boolean hasValidator;
    private final Origin origin;
    private final List<MethodParameter> payloadParameters = new ArrayList<>();
    private final Set<Type> payloadTypes = new LinkedHashSet<>();
    private final List<Function<Delivery, Object>> lists = new ArrayList<>();

    private Signature(List<HandlerMethodArgumentResolver> custom, boolean hasValidator, Origin origin) {
        this.custom = custom;
        this.hasValidator = hasValidator;
        this.origin = origin;
    }

    /**
     * Reads a method's parameters.
     *
     * @param custom resolve parameters of other types; a parameter that they support is not the payload
     * @param hasValidator whether there is a validator
     * @param deadLetters whether the method handles dead letters
     * @throws InvalidListenerException if the parameters do not fit
     */
    static Signature of(
            MethodParameter[] parameters,
            List<HandlerMethodArgumentResolver> custom,
            boolean hasValidator,
            boolean deadLetters,
            Origin origin) {
        Signature signature = new Signature(custom, hasValidator, origin);
        boolean batch = Arrays.stream(parameters).anyMatch(signature::isList);
        for (MethodParameter parameter : parameters) {
            if (!batch) {
                signature.add(parameter, deadLetters);
            } else if (deadLetters) {
                signature.rejectList(parameter);
            } else {
                signature.addList(parameter);
            }
        }
        signature.checkPayloads();
        return signature;
    }

    /** Whether the method takes batches. */
    boolean isBatch() {
        return !lists.isEmpty();
    }

    /** The type to which payloads are converted; {@code byte[]} if no parameter takes the payload. */
    Type payloadType() {
        return payloadTypes.isEmpty() ? byte[].class : payloadTypes.iterator().next();
    }

    /** Whether the method can be called if the payload cannot be read. */
    boolean isPayloadOptional() {
        if (payloadParameters.isEmpty()) {
            return payloadTypes.isEmpty();
        }
        MethodParameter parameter = payloadParameters.get(0);
        Payload annotation = parameter.getParameterAnnotation(Payload.class);
        return parameter.getParameterType() == Optional.class || (annotation != null && !annotation.required());
    }

    /** The arguments of a method that takes batches, except for the continuation of a suspend function. */
    Object[] lists(List<Delivery> deliveries) {
        return lists.stream()
                .map(element -> deliveries.stream().map(element).toList())
                .toArray();
    }

    private boolean isList(MethodParameter parameter) {
        return parameter.getParameterType() == List.class && role(parameter, custom) == Role.PAYLOAD;
    }

    private void add(MethodParameter parameter, boolean deadLetters) {
        Role role = role(parameter, custom);
        if (role == Role.PAYLOAD) {
            checkPayload(parameter);
            payloadParameters.add(parameter);
            Type declared = parameter.nestedIfOptional().getNestedGenericParameterType();
            Type type = resolved(ResolvableType.forType(declared), parameter);
            payloadTypes.add(type == null ? Object.class : type);
        } else if (role == Role.MESSAGE) {
            addMessage(ResolvableType.forMethodParameter(parameter), parameter);
        } else if (role == Role.DEAD_LETTER && !deadLetters) {
            throw origin.invalid(
                    "It takes a DeadLetter, which is available only to listeners of dead letters.",
                    "Annotate it with @DeadLetterListener, or remove the parameter.");
        } else if (role == Role.HEADERS && !takesHeaders(parameter)) {
            throw origin.invalid(
                    "Its parameter " + describe(parameter)
                            + " is annotated with @Headers, but has an unsupported type.",
                    "Make it a Map<String, Object>, a Map<String, String> or MessageHeaders.");
        }
    }

    private void rejectList(MethodParameter parameter) {
        if (isList(parameter)) {
            throw origin.invalid(
                    "Its parameter " + describe(parameter) + " means a batch, but dead letters are handled one by one.",
                    "Take a DeadLetter, or the payload. Use an array for a payload that is itself a list.");
        }
    }

    private void addList(MethodParameter parameter) {
        if (role(parameter, custom) == Role.CONTINUATION) {
            return;
        }
        if (!isList(parameter)) {
            throw origin.invalid(
                    "It takes a List, which means a batch, and also " + describe(parameter)
                            + ", which belongs to a single message.",
                    "Use List<Delivery> or List<Message<T>> for data of each message. Use an array for a payload"
                            + " that is itself a list.");
        }
        ResolvableType element = ResolvableType.forMethodParameter(parameter).getGeneric(0);
        Class<?> type = element.resolve(Object.class);
        if (type == Delivery.class) {
            lists.add(delivery -> delivery);
        } else if (type == Message.class) {
            lists.add(DeliveryMessage::of);
            addMessage(element, parameter);
        } else {
            lists.add(Delivery::payload);
            Type payload = resolved(element, parameter);
            if (payload == null) {
                throw origin.invalid(
                        "Its parameter " + describe(parameter) + " does not name the type of its elements.",
                        "Name the type of the payloads, such as List<Order>.");
            }
            payloadTypes.add(payload);
        }
    }

    private void addMessage(ResolvableType message, MethodParameter parameter) {
        Type type = resolved(message.as(Message.class).getGeneric(0), parameter);
        if (type != null) {
            payloadTypes.add(type);
        }
    }

    private void checkPayload(MethodParameter parameter) {
        Payload annotation = parameter.getParameterAnnotation(Payload.class);
        if (annotation != null && StringUtils.hasText(annotation.expression())) {
            throw origin.invalid(
                    "Its parameter " + describe(parameter)
                            + " selects the payload by an expression, which is not supported.",
                    "Take the whole payload instead.");
        }
        boolean requiresValidation = Arrays.stream(parameter.getParameterAnnotations())
                .anyMatch(each -> ValidationAnnotationUtils.determineValidationHints(each) != null);
        if (requiresValidation && !hasValidator) {
            throw origin.invalid(
                    "Its parameter " + describe(parameter) + " requires validation, but there is no validator.",
                    "Add spring-boot-starter-validation, or set a validator with a DelayListenerConfigurer.");
        }
    }

    private void checkPayloads() {
        if (payloadParameters.size() > 1) {
            throw origin.invalid(
                    "Its parameters "
                            + payloadParameters.stream()
                                    .map(Signature::describe)
                                    .collect(Collectors.joining(" and "))
                            + " both take the payload, and there is only one.",
                    "Annotate the others with @Header, or use one type with all data.");
        }
        if (payloadTypes.size() > 1) {
            throw origin.invalid(
                    "It declares the payload with different types: "
                            + payloadTypes.stream().map(Type::getTypeName).collect(Collectors.joining(" and ")) + ".",
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

    /** The declared type, with type variables resolved as far as the class binds them; null if any type fits. */
    private static @Nullable Type resolved(ResolvableType declared, MethodParameter parameter) {
        if (declared.equals(ResolvableType.NONE)) {
            return null;
        }
        Class<?> context = parameter.getContainingClass();
        Type type = GenericTypeResolver.resolveType(declared.getType(), context);
        Type bound = type instanceof WildcardType wildcard
                ? wildcard.getUpperBounds()[0]
                : type instanceof TypeVariable<?> variable ? variable.getBounds()[0] : null;
        if (bound == null) {
            return type;
        }
        return bound == Object.class ? null : GenericTypeResolver.resolveType(bound, context);
    }

    private static String describe(MethodParameter parameter) {
        return "'" + parameter.getGenericParameterType().getTypeName() + " "
                + parameter.getParameter().getName() + "'";
    }

    /** The role of a parameter. */
    static Role role(MethodParameter parameter, List<HandlerMethodArgumentResolver> custom) {
        Class<?> type = parameter.getParameterType();
        if (parameter.hasParameterAnnotation(Header.class)) {
            return Role.HEADER;
        }
        if (parameter.hasParameterAnnotation(Headers.class)
                || type == MessageHeaders.class
                || MessageHeaderAccessor.class.isAssignableFrom(type)) {
            return Role.HEADERS;
        }
        if (parameter.hasParameterAnnotation(Payload.class)) {
            return Role.PAYLOAD;
        }
        if (custom.stream().anyMatch(resolver -> resolver.supportsParameter(parameter))) {
            return Role.CUSTOM;
        }
        if (type == Delivery.class) {
            return Role.DELIVERY;
        }
        if (type == Acknowledgement.class) {
            return Role.ACKNOWLEDGEMENT;
        }
        if (type == DeadLetter.class) {
            return Role.DEAD_LETTER;
        }
        if (type.getName().equals("kotlin.coroutines.Continuation")) {
            return Role.CONTINUATION;
        }
        return Message.class.isAssignableFrom(type) ? Role.MESSAGE : Role.PAYLOAD;
    }
}
