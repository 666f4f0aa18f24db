package io.delayqueue.template;

import io.delayqueue.message.Durability;
import io.delayqueue.message.Shard;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.SendReply;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Wraps a store. Records its sends, and delays or fails those that a test selects. */
final class HeldSends {

    /** Wraps a send. */
    @FunctionalInterface
    interface Gate {
        CompletableFuture<List<SendReply>> pass(List<String> ids, Supplier<CompletableFuture<List<SendReply>>> call);
    }

    private final List<List<String>> calls = Collections.synchronizedList(new ArrayList<>());
    private final Map<List<String>, CompletableFuture<Void>> held = new ConcurrentHashMap<>();
    private volatile Gate gate = (ids, call) -> call.get();

    /** The ids of each call, in the order of the calls. */
    List<List<String>> calls() {
        return calls;
    }

    void set(Gate around) {
        gate = around;
    }

    /** Keeps a call of exactly these messages from Redis until it is released. */
    void hold(String... ids) {
        held.put(List.of(ids), new CompletableFuture<>());
    }

    void release(String... ids) {
        held.get(List.of(ids)).complete(null);
    }

    MessageStore around(MessageStore real) {
        return (MessageStore) Proxy.newProxyInstance(
                MessageStore.class.getClassLoader(),
                new Class<?>[] {MessageStore.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "send" -> passed(real, arguments);
                    default -> {
                        try {
                            yield method.invoke(real, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    }
                });
    }

    @SuppressWarnings("unchecked")
    private CompletableFuture<List<SendReply>> passed(MessageStore real, Object[] arguments) {
        List<OutgoingMessage> messages = List.copyOf((List<OutgoingMessage>) arguments[1]);
        List<String> ids = messages.stream().map(OutgoingMessage::id).toList();
        calls.add(ids);
        Supplier<CompletableFuture<List<SendReply>>> call =
                () -> gate.pass(ids, () -> real.send((Shard) arguments[0], messages, (Durability) arguments[2]));
        CompletableFuture<Void> holding = held.get(ids);
        return holding == null ? call.get() : holding.thenCompose(released -> call.get());
    }
}
