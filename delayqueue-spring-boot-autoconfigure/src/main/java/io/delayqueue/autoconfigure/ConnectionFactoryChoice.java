package io.delayqueue.autoconfigure;

import io.delayqueue.autoconfigure.failure.ConnectionFactoryChoiceException;
import java.util.List;
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
            throw new ConnectionFactoryChoiceException(
                    List.of(beans.getBeanNamesForType(RedisConnectionFactory.class)));
        }
        return chosen;
    }
}
