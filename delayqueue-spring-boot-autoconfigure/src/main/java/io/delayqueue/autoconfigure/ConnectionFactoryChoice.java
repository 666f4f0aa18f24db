package io.delayqueue.autoconfigure;

import io.delayqueue.autoconfigure.failure.StartFailedException;
import io.delayqueue.redis.JedisSettings;
import io.delayqueue.redis.QueueConnections;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Chooses the Redis connection factory from which the queue derives its connections: the marked bean, else the only one,
 * else the primary one. The queue uses Lettuce whatever the library of the factory.
 *
 * @param marked beans with the qualifier {@link DelayQueueConnectionFactory}
 * @param any beans that can be injected without a qualifier
 */
record ConnectionFactoryChoice(
        ObjectProvider<RedisConnectionFactory> marked,
        ObjectProvider<RedisConnectionFactory> any,
        ConfigurableListableBeanFactory beans) {

    private static final Log log = LogFactory.getLog(ConnectionFactoryChoice.class);

    private static final String LETTUCE = "io.lettuce.core.RedisClient";

    /** The configuration class whose factory uses the SSL bundle of the connection details. */
    private static final String JEDIS_OF_BOOT =
            "org.springframework.boot.data.redis.autoconfigure.JedisConnectionConfiguration";

    private static final String WAY_OUT =
            "define a LettuceConnectionFactory bean for the delay queue and annotate it with"
                    + " @DelayQueueConnectionFactory and @Bean(defaultCandidate = false).";

    /**
     * Derives the queue's connections, without connecting.
     *
     * @throws StartFailedException if there is no factory, no choice, or nothing can be derived from the factory
     */
    QueueConnections derive(QueueConnections.Settings settings) {
        RedisConnectionFactory chosen = marked.getIfUnique();
        boolean isMarked = chosen != null;
        if (chosen == null && marked.stream().findAny().isEmpty()) {
            chosen = any.getIfUnique();
        }
        if (chosen == null) {
            throw noChoice(beans.getBeanNamesForType(RedisConnectionFactory.class));
        }
        if (!ClassUtils.isPresent(LETTUCE, beans.getBeanClassLoader())) {
            throw new StartFailedException(
                    "The delay queue connects to Redis with Lettuce, which is not on the class path.",
                    "Add the dependency io.lettuce:lettuce-core. If the application itself uses Jedis, set"
                            + " spring.data.redis.client-type=jedis.");
        }
        String name = nameOf(chosen);
        try {
            return new QueueConnections(toLettuce(chosen, name, isMarked), settings, System::nanoTime);
        } catch (IllegalArgumentException e) {
            throw new StartFailedException(
                    "The delay queue cannot derive its connections from the connection factory '" + name + "': "
                            + e.getMessage() + ".",
                    "Remove the setting, or " + WAY_OUT,
                    e);
        }
    }

    private LettuceConnectionFactory toLettuce(RedisConnectionFactory chosen, String name, boolean isMarked) {
        if (chosen instanceof LettuceConnectionFactory lettuce) {
            return lettuce;
        }
        BootConnectionDetails details = isMarked ? null : BootConnectionDetails.of(beans);
        if (chosen instanceof JedisConnectionFactory jedis) {
            return JedisSettings.toLettuce(jedis, details != null && isOfBoot(name) ? details.tls() : null);
        }
        String type = chosen.getClass().getName();
        if (details == null || !details.nameAServer()) {
            throw new StartFailedException(
                    "The delay queue cannot derive its connections from the connection factory '" + name + "' of type "
                            + type + (isMarked ? "." : ", and no property of spring.data.redis names a server."),
                    (isMarked ? "Instead, " : "Set spring.data.redis.host or spring.data.redis.url, or ") + WAY_OUT);
        }
        log.info("The delay queue connects as spring.data.redis says, because the connection factory '" + name
                + "' is of type " + type);
        return details.connectionFactory();
    }

    /** The name of the bean, or its class if it is a bean of a parent context. */
    private String nameOf(RedisConnectionFactory factory) {
        for (String name : beans.getBeanNamesForType(RedisConnectionFactory.class, true, false)) {
            if (beans.getSingleton(name) == factory) {
                return name;
            }
        }
        return factory.getClass().getName();
    }

    private boolean isOfBoot(String name) {
        return beans.containsBeanDefinition(name)
                && JEDIS_OF_BOOT.equals(beans.getMergedBeanDefinition(name).getFactoryBeanName());
    }

    private static StartFailedException noChoice(String... candidates) {
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
