package io.delayqueue.convert;

import io.delayqueue.Internal;
import java.lang.reflect.Type;
import java.util.List;

/** The types as which the listeners of this process read the payloads of a topic. Thread-safe. */
@Internal
@FunctionalInterface
public interface ListenerTypes {

    /** Returns the types of a topic's listeners: the same list until they change. */
    List<Type> of(String topic);
}
