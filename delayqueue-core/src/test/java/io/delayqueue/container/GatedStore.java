package io.delayqueue.container;

import io.delayqueue.store.MessageStore;
import io.delayqueue.store.PollReply;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.UnaryOperator;

/** A store with a gate around the polls of listeners. */
public final class GatedStore implements UnaryOperator<MessageStore> {

    /** Runs code before and after a poll. */
    @FunctionalInterface
    public interface Gate {
        PollReply pass(Callable<PollReply> poll) throws Exception;
    }

    private static final Gate OPEN = Callable::call;

    private final ReadWriteLock passing = new ReentrantReadWriteLock();
    private Gate gate = OPEN;

    /** Waits for polls that run already: one of them could find what is sent after this, past the new gate. */
    public void set(Gate around) {
        passing.writeLock().lock();
        try {
            gate = around;
        } finally {
            passing.writeLock().unlock();
        }
    }

    public void open() {
        set(OPEN);
    }

    private PollReply pass(Callable<PollReply> poll) throws Exception {
        Gate closed;
        passing.readLock().lock();
        try {
            if (gate == OPEN) {
                return poll.call();
            }
            closed = gate;
        } finally {
            passing.readLock().unlock();
        }
        return closed.pass(poll); // may wait for the next gate
    }

    private CompletableFuture<?> through(Callable<Object> call) {
        try {
            return CompletableFuture.completedFuture(Optional.of(pass(() -> reply(call))));
        } catch (ExecutionException e) {
            return CompletableFuture.failedFuture(e.getCause());
        } catch (Exception e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static PollReply reply(Callable<Object> call) throws Exception {
        return (PollReply) ((Optional<?>) ((CompletableFuture<?>) call.call()).get()).orElseThrow();
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
                    boolean ofListener = method.getName().equals("poll") && (boolean) arguments[2];
                    return ofListener ? through(call) : call.call();
                });
    }
}
