package io.delayqueue.benchmark.floor;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.delayqueue.benchmark.contender.Contender.Item;
import io.delayqueue.benchmark.contender.Topics;
import io.delayqueue.benchmark.result.Party;
import io.delayqueue.convert.JsonPayloadConverter;
import io.delayqueue.convert.PayloadCodec;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Durability;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.store.Claim;
import io.delayqueue.store.CrashLimits;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.PollRequest;
import io.delayqueue.store.PollRequest.Claiming;
import io.delayqueue.store.PollRequest.Reclaiming;
import io.delayqueue.store.Settlement;
import io.delayqueue.store.script.RedisMessageStore;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.DelayQueueTemplate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import tools.jackson.databind.json.JsonMapper;

/** Makes the product's script calls, records them, and replays them with a plain client. Not thread-safe. */
public final class Floor implements AutoCloseable {

    private static final Duration SWEEP = Duration.ofSeconds(5);
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final int MAX_ATTEMPTS = 10;
    private static final int MAX_RECLAIM = 100;
    private static final String CONSUMER = "floor.1";
    private static final String FORGET = "redis.call('HDEL', KEYS[1], ARGV[1]) return {'OK'}";

    private final BareClient recordingClient;
    private final BareClient.Caller recordingCaller;
    private final BareClient client;
    private final Recorder recorder;
    private final MessageStore store;
    private final DelayQueueTemplate template;
    private final KeySpace keySpace = new KeySpace(Topics.NAMESPACE);
    private final Shard shard = Shard.single(Topics.BENCH);
    private long sequence;

    /** Creates a floor and registers the topic if necessary. */
    public Floor(Party party, int port) {
        client = BareClient.of(party, port);
        recordingClient = new BareJedis(port);
        recordingCaller = recordingClient.caller();
        recorder = new Recorder(recordingCaller);
        TopicRegistry registry = new TopicRegistry(recorder, keySpace);
        store = new RedisMessageStore(recorder, keySpace, registry);
        PayloadCodec codec =
                new PayloadCodec(new JsonPayloadConverter(JsonMapper.builder().build()));
        template = DelayQueueTemplate.builder(store, registry, codec, InstantSource.system())
                .build();
        poll(request("floor.0", 0, System.nanoTime(), List.of()));
    }

    /** Records the product's calls for these messages, one call per message. */
    public Recording sends(List<Item> items) {
        recorder.record("send", true);
        items.forEach(this::send);
        return recorder.stop();
    }

    /** Records the product's calls for these messages in batches of 500. */
    public Recording batches(List<Item> items) {
        recorder.record("send", true);
        for (int i = 0; i < items.size(); i += PollRequest.MAX_BATCH) {
            sendAll(items.subList(i, Math.min(i + PollRequest.MAX_BATCH, items.size())));
        }
        return recorder.stop();
    }

    /** Consumes all due messages like a busy consumer and records the calls. */
    public Recording drain() {
        recorder.record("poll", false);
        List<Settlement> settlements = List.of();
        do {
            settlements = poll(PollRequest.MAX_BATCH, settlements);
        } while (!settlements.isEmpty());
        forgetConsumer();
        return recorder.stop();
    }

    /** Sends a message in a call of its own. */
    public void send(Item item) {
        template.send(Topics.BENCH, item.payload(), item.dueAt());
    }

    /** Sends up to 500 messages in one call. */
    public void sendAll(List<Item> items) {
        template.sendAll(items.stream()
                .map(item -> DelayMessage.to(Topics.BENCH)
                        .payload(item.payload())
                        .dueAt(item.dueAt())
                        .build())
                .toList());
    }

    /**
     * Polls once.
     *
     * @param claims the most messages to claim, 0 to 500
     * @param settlements the acknowledgements of earlier claims
     * @return the acknowledgements of the claimed messages
     */
    public List<Settlement> poll(int claims, List<Settlement> settlements) {
        PollReply reply = poll(request(CONSUMER, claims, ++sequence, settlements));
        return reply.claims().stream().map(Floor::acknowledged).toList();
    }

    private PollReply poll(PollRequest request) {
        return store.poll(shard, request, true, Durability.NONE).join().orElseThrow();
    }

    /** Removes the state of the consumer, so that its polls can be replayed. */
    public void forgetConsumer() {
        sequence = 0;
        byte[][] all = {keySpace.of(shard).meta(), ("c:" + CONSUMER).getBytes(US_ASCII)};
        recordingCaller.run(FORGET, new RecordedCall(0, 1, all));
    }

    private static PollRequest request(String consumer, int claims, long sequence, List<Settlement> settlements) {
        return new PollRequest(
                consumer,
                sequence,
                consumer + "-" + Long.toString(sequence, 36),
                new Claiming(claims, PollRequest.MAX_BYTES, LEASE, false, false, claims),
                new Reclaiming(
                        MAX_RECLAIM, MAX_ATTEMPTS, CrashLimits.DEFAULTS, Reclaiming.gapFor(SWEEP), LEASE.dividedBy(3)),
                false,
                settlements,
                List.of());
    }

    private static Settlement acknowledged(Claim claim) {
        return new Settlement.Acknowledge(claim.id(), claim.token());
    }

    /** Creates a player of recordings, to be used by one thread. */
    public Player player(Recording recording) {
        return new Player(recording, client.caller());
    }

    /** Replays the calls of one recording in sequence. Not thread-safe. */
    public static final class Player implements AutoCloseable {

        private final Recording recording;
        private final byte[] sha1;
        private final BareClient.Caller caller;

        Player(Recording recording, BareClient.Caller caller) {
            this.recording = recording;
            this.sha1 = recording.script().sha1().getBytes(US_ASCII);
            this.caller = caller;
            // Loads the script. A call with an invalid registration of the shard changes nothing.
            int keys = recording.calls().get(0).keyCount();
            byte[][] unregistered = recording.calls().get(0).all().clone();
            unregistered[keys] = "-".getBytes(US_ASCII);
            caller.run(recording.script().text(), new RecordedCall(0, keys, unregistered));
        }

        /** Replays every n-th call, starting with the given one. */
        public void play(int first, int step) {
            List<RecordedCall> calls = recording.calls();
            for (int i = first; i < calls.size(); i += step) {
                List<?> reply = caller.run(sha1, calls.get(i));
                if (((byte[]) reply.get(0)).length != 2) {
                    throw new IllegalStateException("Redis returned " + new String((byte[]) reply.get(0), US_ASCII));
                }
            }
        }

        @Override
        public void close() {
            caller.close();
        }
    }

    @Override
    public void close() {
        client.close();
        recordingCaller.close();
        recordingClient.close();
    }
}
