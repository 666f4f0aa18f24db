package io.delayqueue.forward.rabbit;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import java.io.IOException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A channel in confirm mode, opened when it is needed and anew when it was closed. Thread-safe. */
final class ConfirmingChannel {

    private final OwnConnection connection;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Channel channel;
    private Unconfirmed unconfirmed = new Unconfirmed();

    ConfirmingChannel(OwnConnection connection) {
        this.connection = connection;
    }

    /** Ends when RabbitMQ has confirmed the message, badly if it returned it, refused it or is gone. */
    CompletionStage<?> publish(String exchange, String routingKey, BasicProperties properties, byte[] body)
            throws IOException, TimeoutException, InterruptedException {
        lock.lockInterruptibly();
        try {
            Channel open = open();
            long number = open.getNextPublishSeqNo();
            Unconfirmed.Message message =
                    unconfirmed.add(number, exchange, routingKey, String.valueOf(properties.getMessageId()));
            try {
                open.basicPublish(exchange, routingKey, true, properties, body);
            } catch (IOException | RuntimeException e) {
                unconfirmed.remove(number);
                throw e;
            }
            return message.confirmed();
        } finally {
            lock.unlock();
        }
    }

    private Channel open() throws IOException, TimeoutException, InterruptedException {
        if (channel != null && channel.isOpen()) {
            return channel;
        }
        Channel opened = connection.newChannel();
        Unconfirmed fresh = new Unconfirmed();
        opened.confirmSelect();
        opened.addReturnListener(fresh::returned);
        opened.addConfirmListener(fresh::acknowledged, fresh::refused);
        opened.addShutdownListener(fresh::lost);
        unconfirmed = fresh;
        channel = opened;
        return opened;
    }
}
