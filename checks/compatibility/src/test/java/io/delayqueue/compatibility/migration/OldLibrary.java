package io.delayqueue.compatibility.migration;

import io.delayqueue.template.DelayQueueOperations;
import io.delayqueue.test.redis.RedisServerProcess;
import java.io.IOException;
import org.redisson.api.RedissonClient;
import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;
import tools.jackson.databind.json.JsonMapper;

/** A library whose messages can be imported. */
enum OldLibrary {
    REDISSON {
        @Override
        OldQueue start(RedisServerProcess redis, boolean consuming) {
            return new RedissonQueue(redis.port(), consuming);
        }

        @Override
        int importInto(ApplicationContext context, DelayQueueOperations delayQueue, boolean all) throws IOException {
            int port = context.getEnvironment().getRequiredProperty("spring.data.redis.port", Integer.class);
            RedissonClient redisson = RedissonQueue.client(port);
            try {
                return new RedissonImporter(redisson, delayQueue).run(OldQueue.NAME, OldQueue.NAME, all);
            } finally {
                redisson.shutdown();
            }
        }
    },

    RQUEUE {
        @Override
        OldQueue start(RedisServerProcess redis, boolean consuming) {
            return new RqueueQueue(redis, consuming);
        }

        @Override
        int importInto(ApplicationContext context, DelayQueueOperations delayQueue, boolean all) {
            return new RqueueImporter(
                            context.getBean(StringRedisTemplate.class), delayQueue, context.getBean(JsonMapper.class))
                    .run(OldQueue.NAME, OldQueue.NAME, all);
        }
    };

    /** Starts an application that uses the library. */
    abstract OldQueue start(RedisServerProcess redis, boolean consuming);

    /** Runs the importer in an application that uses delayqueue. */
    abstract int importInto(ApplicationContext context, DelayQueueOperations delayQueue, boolean all)
            throws IOException;
}
