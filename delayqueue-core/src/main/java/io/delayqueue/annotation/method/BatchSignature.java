package io.delayqueue.annotation.method;

import io.delayqueue.listener.Delivery;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;

/** The checked parameters of a method that takes batches. */
final class BatchSignature {

    private final List<Function<Delivery, Object>> elements = new ArrayList<>();
    private final Set<Type> types = new LinkedHashSet<>();

    private BatchSignature() {}

    static BatchSignature of(MethodParameter[] parameters, List<HandlerMethodArgumentResolver> custom) {
        BatchSignature signature = new BatchSignature();
        for (MethodParameter parameter : parameters) {
            if (ParameterRole.of(parameter, custom) == ParameterRole.CONTINUATION) {
                continue;
            }
            if (!Signature.isBatch(parameter, custom)) {
                throw new InvalidSignatureException(
                        "It takes a List, which means a batch, and also " + Signature.describe(parameter)
                                + ", which belongs to a single message.",
                        "Use List<Delivery> or List<Message<T>> for data of each message. Use an array for a payload"
                                + " that is itself a list.");
            }
            signature.add(parameter);
        }
        if (signature.types.size() > 1) {
            throw new InvalidSignatureException(
                    "It declares the payloads with different types: "
                            + signature.types.stream().map(Type::getTypeName).collect(Collectors.joining(" and "))
                            + ".",
                    "Use the same type, or Message<?>.");
        }
        return signature;
    }

    Type payloadType() {
        return types.isEmpty() ? byte[].class : types.iterator().next();
    }

    @Nullable
    Object[] arguments(List<Delivery> deliveries) {
        return elements.stream()
                .map(element -> deliveries.stream().map(element).toList())
                .toArray();
    }

    private void add(MethodParameter parameter) {
        ResolvableType element = ResolvableType.forMethodParameter(parameter).getGeneric(0);
        Class<?> context = parameter.getContainingClass();
        Class<?> type = element.resolve(Object.class);
        if (type == Delivery.class) {
            elements.add(delivery -> delivery);
        } else if (type == Message.class) {
            elements.add(DeliveryMessage::of);
            Type payload = PayloadTypes.ofMessage(element, context);
            if (payload != null) {
                types.add(payload);
            }
        } else {
            elements.add(Delivery::payload);
            types.add(payloadType(parameter, element, context));
        }
    }

    private static Type payloadType(MethodParameter parameter, ResolvableType element, Class<?> context) {
        Type type = element.equals(ResolvableType.NONE) ? null : PayloadTypes.named(element.getType(), context);
        if (type == null) {
            throw new InvalidSignatureException(
                    "Its parameter " + Signature.describe(parameter) + " does not name the type of its elements.",
                    "Name the type of the payloads, such as List<Order>.");
        }
        return type;
    }
}
