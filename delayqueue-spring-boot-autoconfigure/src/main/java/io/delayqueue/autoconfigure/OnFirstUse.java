package io.delayqueue.autoconfigure;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks a value up when it is first used: a bean that the queue uses may itself depend on the queue. A failed lookup is
 * repeated at the next use. Thread-safe; without a lock, because the thread that creates the beans may use the queue too.
 */
final class OnFirstUse<T extends @Nullable Object> implements Supplier<T> {

    private final Supplier<? extends T> lookup;
    private volatile @Nullable Found<T> found;

    private record Found<T extends @Nullable Object>(T value) {}

    OnFirstUse(Supplier<? extends T> lookup) {
        this.lookup = lookup;
    }

    @Override
    public T get() {
        Found<T> present = found;
        if (present == null) {
            present = new Found<>(lookup.get());
            found = present;
        }
        return present.value();
    }
}
