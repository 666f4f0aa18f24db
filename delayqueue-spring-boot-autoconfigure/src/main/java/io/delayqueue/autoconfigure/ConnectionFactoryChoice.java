package io.delayqueue.autoconfigure;

import io.delayqueue.autoconfigure.failure.StartFailedException;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Chooses the Redis connection factory of the queue: the marked bean, else the only one, else the primary one.
 *
 * @param marked beans with the qualifier {@link DelayQueueConnectionFactory}
 * @param any beans that can be injected without a qualifier
 */
record ConnectionFactoryChoice(
        ObjectProvider<RedisConnectionFactory> marked,
        ObjectProvider<RedisConnectionFactory> any,
        ListableBeanFactory beans) {

    RedisConnectionFactory choose() {
        RedisConnectionFactory chosen = marked.getIfUnique();
        if (chosen == null && marked.stream().findAny().isEmpty()) {
            chosen = any.getIfUnique();
        }
        if (chosen == null) {
            throw failure(beans.getBeanNamesForType(RedisConnectionFactory.class));
        }
        return chosen;
    }

    private static StartFailedException failure(String... candidates) {
        return candidates.length == 0
                ? new StartFailedException(
                        "The delay queue requires a bean of type RedisConnectionFactory, but none was found.",
                        "Set spring.data.redis.host or spring.data.redis.url to have Spring Boot create one,"
                                + " define one, or disable the delay queue with delayqueue.enabled=false.")
                : new StartFailedException(
                        "The delay queue requires a single bean of type RedisConnectionFactory, but several were found: "
                                + String.join(", ", candidates) + ".",
                        "Annotate the one that the delay queue should use with @DelayQueueConnectionFactory,"
                                + " or one of them with @Primary.");
    }
}
