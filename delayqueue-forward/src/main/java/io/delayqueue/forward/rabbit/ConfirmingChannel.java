package io.delayqueue.forward.rabbit;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import java.io.IOException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** A channel in confirm mode. It is opened on demand, and reopened after it was closed. Thread-safe. */
final class ConfirmingChannel {

    private static final Log log = LogFactory.getLog(ConfirmingChannel.class);

    private final RabbitConnection connection;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Channel channel;
    private Unconfirmed unconfirmed = new Unconfirmed();

    ConfirmingChannel(RabbitConnection connection) {
        this.connection = connection;
    }

    /**
     * Publishes a message. The future completes when RabbitMQ has confirmed the message, and fails if RabbitMQ returned
     * or rejected it, or if the connection is lost. If this method throws an exception, the channel is closed and its
     * unconfirmed messages fail: the client may have counted a message that RabbitMQ never received, so that later
     * confirms would be assigned to the wrong messages.
     */
    CompletionStage<?> publish(String exchange, String routingKey, BasicProperties properties, byte[] body)
            throws IOException, TimeoutException, InterruptedException {
        connection.requireNotBlocked();
        @Nullable Channel broken = null;
        lock.lockInterruptibly();
        try {
            Channel open = open();
            long number = open.getNextPublishSeqNo();
            Unconfirmed.Message message = unconfirmed.add(number, exchange, routingKey, properties.getMessageId());
            try {
                open.basicPublish(exchange, routingKey, true, properties, body);
                return message.confirmed();
            } catch (Throwable e) {
                unconfirmed.remove(number);
                channel = null;
                broken = open;
                throw e;
            }
        } finally {
            lock.unlock();
            if (broken != null) {
                abort(broken);
            }
        }
    }

    private Channel open() throws IOException, TimeoutException, InterruptedException {
        if (channel != null && channel.isOpen()) {
            return channel;
        }
        Channel opened = connection.newChannel();
        Unconfirmed fresh = new Unconfirmed();
        try {
            opened.confirmSelect();
        } catch (Throwable e) {
            abort(opened);
            throw e;
        }
        opened.addReturnListener(fresh::returned);
        opened.addConfirmListener(fresh::acknowledged, fresh::rejected);
        opened.addShutdownListener(fresh::lost);
        unconfirmed = fresh;
        channel = opened;
        return opened;
    }

    private static void abort(Channel given) {
        try {
            given.abort();
        } catch (IOException | RuntimeException e) {
            log.debug("Closing a channel to RabbitMQ failed", e);
        }
    }
}
