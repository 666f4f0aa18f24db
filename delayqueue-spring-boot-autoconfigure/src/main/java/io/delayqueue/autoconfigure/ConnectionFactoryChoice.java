package io.delayqueue.autoconfigure;

import java.util.List;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Chooses the application's Redis for the queue: the marked bean, else the only one, else the primary one. */
record ConnectionFactoryChoice(ObjectProvider<RedisConnectionFactory> marked, ListableBeanFactory beans) {

    RedisConnectionFactory choose() {
        RedisConnectionFactory chosen = marked.getIfUnique();
        if (chosen == null) {
            chosen = beans.getBeanProvider(RedisConnectionFactory.class).getIfUnique();
        }
        if (chosen == null) {
            throw new ConnectionFactoryChoiceException(names());
        }
        return chosen;
    }

    private List<String> names() {
        return List.of(beans.getBeanNamesForType(RedisConnectionFactory.class));
    }
}
