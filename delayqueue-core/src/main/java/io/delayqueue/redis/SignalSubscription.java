package io.delayqueue.redis;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.Subscription;
import org.springframework.data.redis.connection.SubscriptionListener;

/**
 * One subscription to one channel, on a connection of its own. Can be opened once. Thread-safe.
 *
 * <p>Spring's listener container is not used: it cannot start while Redis is unavailable, and it logs a stack trace for
 * each attempt to reconnect.
 */
final class SignalSubscription implements MessageListener, SubscriptionListener {

    private final Driver driver;
    private final byte[] channel;
    private final Consumer<byte[]> heard;
    private final Runnable subscribed;
    private @Nullable RedisConnectionFactory factory;
    private @Nullable RedisConnection connection;
    private boolean closed;

    SignalSubscription(Driver driver, byte[] channel, Consumer<byte[]> heard, Runnable subscribed) {
        this.driver = driver;
        this.channel = channel;
        this.heard = heard;
        this.subscribed = subscribed;
    }

    /**
     * Subscribes. With Lettuce this method returns at once, and the subscription stays active and renews itself. With
     * Jedis it returns when the subscription has ended.
     *
     * @return whether the subscription is active
     * @throws RuntimeException if Redis cannot be reached or the connection breaks
     */
    boolean open() {
        RedisConnection opened = connect();
        if (opened == null) {
            return false;
        }
        opened.subscribe(this, channel);
        if (opened.isSubscribed()) {
            return true;
        }
        opened.close();
        return false;
    }

    private @Nullable RedisConnection connect() {
        RedisConnectionFactory made = driver.forSignals();
        synchronized (this) {
            if (closed) {
                driver.release(made);
                return null;
            }
            factory = made;
        }
        RedisConnection opened = made.getConnection();
        synchronized (this) {
            if (closed) {
                opened.close();
                return null;
            }
            connection = opened;
        }
        return opened;
    }

    /** Ends the subscription and closes its connection, without waiting for the server. */
    void close() {
        RedisConnectionFactory made;
        RedisConnection opened;
        synchronized (this) {
            closed = true;
            made = factory;
            opened = connection;
            factory = null;
            connection = null;
        }
        try {
            Subscription subscription = opened == null ? null : opened.getSubscription();
            if (subscription != null) {
                subscription.close();
            }
        } catch (RuntimeException e) {
            // The connection is already broken.
        } finally {
            if (made != null) {
                driver.release(made);
            }
        }
    }

    @Override
    public void onMessage(Message message, byte @Nullable [] pattern) {
        heard.accept(message.getBody());
    }

    @Override
    public void onChannelSubscribed(byte[] channel, long count) {
        subscribed.run();
    }
}
