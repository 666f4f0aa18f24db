package io.delayqueue.autoconfigure.forward;

import io.delayqueue.forward.Broker;
import java.util.function.Function;

/**
 * A kind of broker on the class path.
 *
 * @param keyword name in properties, empty if properties name the bean instead
 * @param type type of the application's beans, such as a template
 * @param brokers creates a broker from such a bean
 */
record BrokerKind(String keyword, Class<?> type, Function<Object, Broker> brokers) {

    static <T> BrokerKind of(String keyword, Class<T> type, Function<? super T, Broker> brokers) {
        return new BrokerKind(keyword, type, bean -> brokers.apply(type.cast(bean)));
    }

    /** Creates a kind without a keyword. */
    static <T> BrokerKind of(Class<T> type, Function<? super T, Broker> brokers) {
        return of("", type, brokers);
    }
}
