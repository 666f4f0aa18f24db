package io.delayqueue.autoconfigure;

import java.util.AbstractList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.beans.factory.ObjectProvider;

/** The application's beans of a type, in their order. They are looked up when the list is first read. */
final class ExtensionBeans<T> extends AbstractList<T> {

    private final Supplier<List<T>> beans;

    ExtensionBeans(ObjectProvider<T> beans) {
        this.beans = new OnFirstUse<>(() -> beans.orderedStream().toList());
    }

    @Override
    public T get(int index) {
        return beans.get().get(index);
    }

    @Override
    public int size() {
        return beans.get().size();
    }

    @Override
    public Iterator<T> iterator() {
        return beans.get().iterator();
    }
}
