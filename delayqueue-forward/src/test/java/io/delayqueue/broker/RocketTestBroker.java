package io.delayqueue.broker;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.test.redis.TestPorts;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.rocketmq.client.consumer.DefaultMQPullConsumer;
import org.apache.rocketmq.client.consumer.PullResult;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.common.message.MessageConst;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.remoting.exception.RemotingException;

/** A RocketMQ broker with its name server. */
@SuppressWarnings("deprecation") // the successor of the consumer reads no position that says when all is read
final class RocketTestBroker extends JvmBroker {

    private static final int PAGE = 32;
    private static final List<String> TOPICS = List.of("plain", "load", "kills", "hang", "large", "late", "outage");

    private final int nameServer = TestPorts.free();
    private final int port = TestPorts.free();
    private final int replication = TestPorts.free();
    /** The only one, because the shutdown of a client takes three seconds. */
    private final DefaultMQPullConsumer consumer = new DefaultMQPullConsumer("test");

    RocketTestBroker() {
        super("rocketmq", RocketServer.class, TOPICS);
        consumer.setNamesrvAddr(address());
        try {
            consumer.start();
        } catch (MQClientException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public String to() {
        return "rocketmq";
    }

    @Override
    public List<String> properties() {
        return List.of("test.rocketmq=" + address());
    }

    String address() {
        return "127.0.0.1:" + nameServer;
    }

    @Override
    public void start() {
        start(nameServer, port, replication);
    }

    @Override
    boolean serves() {
        try {
            return !consumer.fetchSubscribeMessageQueues(TOPICS.get(0)).isEmpty();
        } catch (MQClientException e) {
            return false;
        }
    }

    @Override
    public void close() {
        consumer.shutdown();
        super.close();
    }

    @Override
    public List<Received> take(String destination) {
        return messages(destination).stream().map(RocketTestBroker::received).toList();
    }

    List<MessageExt> messages(String destination) {
        List<MessageExt> taken = new ArrayList<>();
        try {
            for (MessageQueue queue : consumer.fetchSubscribeMessageQueues(destination)) {
                for (long at = consumer.minOffset(queue); at < consumer.maxOffset(queue); ) {
                    PullResult page = consumer.pull(queue, "*", at, PAGE);
                    if (page.getMsgFoundList() != null) {
                        taken.addAll(page.getMsgFoundList());
                    }
                    at = page.getNextBeginOffset();
                }
            }
        } catch (MQClientException | RemotingException | MQBrokerException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        return taken;
    }

    private static Received received(MessageExt message) {
        Map<String, String> headers = new LinkedHashMap<>(message.getProperties());
        headers.keySet().removeIf(MessageConst.STRING_HASH_SET::contains);
        String contentType = headers.remove("content-type");
        return new Received(
                headers.get("delayqueue_id"),
                message.getKeys(),
                contentType,
                new String(message.getBody(), UTF_8),
                headers);
    }
}
