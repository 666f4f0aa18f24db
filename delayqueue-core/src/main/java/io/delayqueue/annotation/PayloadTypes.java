package io.delayqueue.annotation;

import static java.util.stream.Collectors.collectingAndThen;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;

import io.delayqueue.annotation.DelayListenerEndpoint.Handling.OfMessages;
import io.delayqueue.message.Printable;
import java.lang.reflect.Type;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.core.ResolvableType;

/**
 * The payload types of the listeners of each topic. Listeners of a topic share its messages, so each of them has to read what
 * is sent for the others. Only {@link #of} is thread-safe.
 */
final class PayloadTypes {

    /** Types as which each payload can be read. A name, because only a converter knows Jackson. */
    private static final Set<String> GENERAL = Set.of(
            byte[].class.getName(),
            String.class.getName(),
            Object.class.getName(),
            Map.class.getName(),
            "tools.jackson.databind.JsonNode");

    private final Map<String, Listener> byId = new HashMap<>();
    private volatile Map<String, List<Type>> byTopic = Map.of();

    private record Listener(String topic, Type type, Origin origin) {}

    /**
     * Adds a listener of messages; ignores listeners of dead letters.
     *
     * @throws InvalidListenerException if another listener of the topic reads payloads of an unrelated type
     */
    void add(DelayListenerEndpoint endpoint) {
        if (!(endpoint.handling() instanceof OfMessages messages)) {
            return;
        }
        Type type = messages.payloadType();
        for (Listener other : byId.values()) {
            if (other.topic().equals(endpoint.topic()) && !isCompatible(type, other.type())) {
                throw endpoint.origin()
                        .invalid(
                                "It takes payloads of type " + type.getTypeName() + ", but the listener of "
                                        + other.origin().describe() + " takes payloads of type "
                                        + other.type().getTypeName() + " of the same topic '"
                                        + Printable.of(endpoint.topic())
                                        + "'. Each would get messages that were sent for the other.",
                                "Use a topic for each type, or one type that all of its listeners take.");
            }
        }
        byId.put(endpoint.id(), new Listener(endpoint.topic(), type, endpoint.origin()));
        index();
    }

    void remove(Collection<String> ids) {
        byId.keySet().removeAll(ids);
        index();
    }

    /** The types of a topic's listeners: the same list until they change. */
    List<Type> of(String topic) {
        return byTopic.getOrDefault(topic, List.of());
    }

    private void index() {
        Map<String, List<Type>> types = byId.values().stream()
                .collect(groupingBy(
                        Listener::topic, mapping(Listener::type, collectingAndThen(toList(), PayloadTypes::distinct))));
        // a topic whose listeners are the same keeps its list
        types.replaceAll((topic, now) -> now.equals(of(topic)) ? of(topic) : now);
        byTopic = types;
    }

    private static List<Type> distinct(List<Type> types) {
        return types.stream().distinct().toList();
    }

    private static boolean isCompatible(Type one, Type other) {
        ResolvableType first = ResolvableType.forType(one);
        ResolvableType second = ResolvableType.forType(other);
        return isGeneral(first)
                || isGeneral(second)
                || first.isAssignableFrom(second)
                || second.isAssignableFrom(first);
    }

    private static boolean isGeneral(ResolvableType type) {
        return GENERAL.contains(type.toClass().getName());
    }
}
