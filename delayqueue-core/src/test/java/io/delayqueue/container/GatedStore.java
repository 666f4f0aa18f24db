package io.delayqueue.container;

import io.delayqueue.store.MessageStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

/** The store, with something around its polls. */
public final class GatedStore implements UnaryOperator<MessageStore> {

    /** What is done around a poll. */
    @FunctionalInterface
    public interface Gate {
        Object pass(Callable<Object> poll) throws Exception;
    }

    private final AtomicReference<Gate> gate = new AtomicReference<>(Callable::call);

    public void set(Gate around) {
        gate.set(around);
    }

    public void open() {
        gate.set(Callable::call);
    }

    private CompletableFuture<?> through(Callable<Object> call) {
        try {
            return CompletableFuture.completedFuture(gate.get().pass(() -> ((CompletableFuture<?>) call.call()).get()));
        } catch (ExecutionException e) {
            return CompletableFuture.failedFuture(e.getCause());
        } catch (Exception e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public MessageStore apply(MessageStore real) {
        return (MessageStore) Proxy.newProxyInstance(
                MessageStore.class.getClassLoader(),
                new Class<?>[] {MessageStore.class},
                (proxy, method, arguments) -> {
                    Callable<Object> call = () -> {
                        try {
                            return method.invoke(real, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause() instanceof Exception cause ? cause : e;
                        }
                    };
                    return method.getName().equals("poll") ? through(call) : call.call();
                });
    }
}
