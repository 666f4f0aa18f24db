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

/** A channel in confirm mode, opened when it is needed and anew when it was closed. Thread-safe. */
final class ConfirmingChannel {

    private static final Log log = LogFactory.getLog(ConfirmingChannel.class);

    private final OwnConnection connection;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Channel channel;
    private Unconfirmed unconfirmed = new Unconfirmed();

    ConfirmingChannel(OwnConnection connection) {
        this.connection = connection;
    }

    /**
     * Ends when RabbitMQ has confirmed the message, badly if it returned it, refused it or is gone. Where it throws, the
     * channel is given up with whatever is on its way by it: the client may have counted a message that RabbitMQ never
     * saw, after which confirms would be taken for those of other messages.
     */
    CompletionStage<?> publish(String exchange, String routingKey, BasicProperties properties, byte[] body)
            throws IOException, TimeoutException, InterruptedException {
        connection.requireReads();
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
        opened.addConfirmListener(fresh::acknowledged, fresh::refused);
        opened.addShutdownListener(fresh::lost);
        unconfirmed = fresh;
        channel = opened;
        return opened;
    }

    private static void abort(Channel given) {
        try {
            given.abort();
        } catch (IOException | RuntimeException e) {
            log.debug("A channel to RabbitMQ was not closed in order", e);
        }
    }
}
