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

/** What the parameters of a method that takes batches ask for, checked. */
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
                        "It takes a List, which means a batch, and beside it " + Signature.describe(parameter)
                                + ", which belongs to a single message.",
                        "Take List<Delivery> or List<Message<T>> for what belongs to each message. A payload that is"
                                + " itself a list is taken as an array.");
            }
            signature.add(parameter);
        }
        if (signature.types.size() > 1) {
            throw new InvalidSignatureException(
                    "It asks for the payloads as different types: "
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
                    "Its parameter " + Signature.describe(parameter) + " doesn't say what it is a list of.",
                    "Name the type of the payloads, as in List<Order>.");
        }
        return type;
    }
}
