package io.delayqueue.autoconfigure.forward;

import io.delayqueue.forward.Broker;
import java.util.function.Function;

/**
 * A kind of broker that is on the class path.
 *
 * @param keyword by which properties name it, empty if they name beans only
 * @param type of the beans by which the application reaches it
 * @param brokers makes one of such a bean
 */
record BrokerKind(String keyword, Class<?> type, Function<Object, Broker> brokers) {

    static <T> BrokerKind of(String keyword, Class<T> type, Function<? super T, Broker> brokers) {
        return new BrokerKind(keyword, type, bean -> brokers.apply(type.cast(bean)));
    }

    /** A kind that has no keyword. */
    static <T> BrokerKind of(Class<T> type, Function<? super T, Broker> brokers) {
        return of("", type, brokers);
    }
}
