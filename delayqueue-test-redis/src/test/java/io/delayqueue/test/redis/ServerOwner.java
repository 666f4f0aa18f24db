package io.delayqueue.test.redis;

import io.delayqueue.test.redis.topology.RedisClusterProcess;
import io.delayqueue.test.redis.topology.RedisSentinelProcess;
import java.util.List;

/**
 * The main class of a JVM that starts servers and never closes them.
 */
final class ServerOwner {

    private ServerOwner() {}

    public static void main(String[] args) throws Exception {
        for (RedisServerProcess redis : start(args[0])) {
            System.out.println(redis.pid() + " " + redis.directory());
        }
        System.out.println();
        System.out.flush();
        if (!args[0].equals("exit")) {
            Thread.currentThread().join();
        }
    }

    private static List<RedisServerProcess> start(String kind) {
        if (kind.equals("cluster")) {
            return RedisClusterProcess.builder().masters(1).start().nodes();
        }
        if (kind.equals("sentinel")) {
            return RedisSentinelProcess.builder().replicas(1).start().sentinels();
        }
        RedisServerProcess redis = RedisServerProcess.start();
        if (kind.equals("pause")) {
            redis.pause();
        }
        return List.of(redis);
    }
}
