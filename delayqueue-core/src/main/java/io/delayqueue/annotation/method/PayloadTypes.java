package io.delayqueue.annotation.method;

import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import org.jspecify.annotations.Nullable;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.ResolvableType;
import org.springframework.messaging.Message;

/** Resolves the types of payloads. */
final class PayloadTypes {

    private PayloadTypes() {}

    /** The declared type, with type variables resolved as far as the class binds them; null if any type fits. */
    static @Nullable Type named(Type declared, Class<?> context) {
        Type type = GenericTypeResolver.resolveType(declared, context);
        if (type instanceof WildcardType wildcard) {
            return named(wildcard.getUpperBounds()[0], context, type);
        }
        if (type instanceof TypeVariable<?> variable) {
            return named(variable.getBounds()[0], context, type);
        }
        return type;
    }

    private static @Nullable Type named(Type bound, Class<?> context, Type bounded) {
        return bound == Object.class || bound == bounded ? null : GenericTypeResolver.resolveType(bound, context);
    }

    /** The type of the payload of a {@code Message<T>}; null if any type fits. */
    static @Nullable Type ofMessage(ResolvableType message, Class<?> context) {
        ResolvableType payload = message.as(Message.class).getGeneric(0);
        return payload.equals(ResolvableType.NONE) ? null : named(payload.getType(), context);
    }
}
