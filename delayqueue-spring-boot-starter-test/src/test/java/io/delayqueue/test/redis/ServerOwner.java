package io.delayqueue.test.redis;

/**
 * The main class of a JVM that starts a server and never closes it.
 */
final class ServerOwner {

    private ServerOwner() {}

    public static void main(String[] args) throws Exception {
        RedisServerProcess redis = RedisServerProcess.start();
        if (args[0].equals("pause")) {
            redis.pause();
        }
        System.out.println(redis.pid());
        System.out.println(redis.directory());
        System.out.flush();
        if (!args[0].equals("exit")) {
            Thread.currentThread().join();
        }
    }
}
