package io.delayqueue.template.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.testing.Dump;
import io.delayqueue.testing.RawRedis;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Receipts and ids that a client made up change nothing in Redis. */
class ForgedReceiptTests extends ReceiveTest {

    private static final String SENTINEL = "~".repeat(257);

    @Test
    void forgedReceiptChangesNothing() {
        send("handed-back", Duration.ZERO);
        LeasedDelivery first = receiveOne();
        join(first.retry(Duration.ofHours(1), "later"));
        send("leased", Duration.ZERO);
        LeasedDelivery leased = receiveOne();
        send("other", Duration.ZERO);
        LeasedDelivery other = receiveOne();
        send("deadLettered", Duration.ZERO);
        LeasedDelivery deadLettered = receiveOne();
        join(deadLettered.deadLetter("no"));
        template.send(DelayMessage.to("elsewhere").id("leased").payload("p").build());
        LeasedDelivery elsewhere = receiver.receive("elsewhere", 1, LONG).get(0);
        send("scheduled", Duration.ofHours(1));
        List<String> tokens = List.of(
                "",
                "-",
                "+1",
                SENTINEL,
                leased.leaseToken() + " 1",
                leased.leaseToken().substring(1),
                first.leaseToken(),
                other.leaseToken(),
                deadLettered.leaseToken(),
                elsewhere.leaseToken());
        List<String> malformed = List.of(
                "",
                "...-",
                "1.a.0.0.-",
                "1.1.1.a b-1",
                "-1.1.1.t-1",
                "1.1.zzzzzzzzzz.t-1",
                SENTINEL,
                leased.leaseToken());
        List<String> receipts = Stream.concat(tokens.stream().map(token -> "1.0.0." + token), malformed.stream())
                .toList();
        List<String> ids = List.of("handed-back", "leased", "deadLettered", "scheduled", "-", SENTINEL);
        Leases leases = receiver.leases();
        Map<String, Function<String, CompletableFuture<Boolean>>> verbs = Map.of(
                "acknowledge", receipt -> leases.acknowledge(receipt),
                "retry", receipt -> leases.retry(receipt, Duration.ZERO, "r"),
                "deadLetter", receipt -> leases.deadLetter(receipt, "r"),
                "extend", receipt -> leases.extendLease(receipt, LEASE),
                "release", receipt -> leases.release(receipt));
        try (RawRedis redis = new RawRedis(server.port())) {
            String before = state(redis);

            List<String> accepted = ids.stream()
                    .flatMap(id -> receipts.stream()
                            .flatMap(receipt -> verbs.entrySet().stream()
                                    .map(verb -> new Forged(
                                            verb.getKey() + " " + id + " " + receipt,
                                            verb.getValue().apply(new Receipt("orders", id, receipt).toString())))))
                    .toList()
                    .stream()
                    .filter(forged -> join(forged.accepted))
                    .map(Forged::what)
                    .toList();

            assertThat(accepted).isEmpty();
            assertThat(state(redis)).isEqualTo(before);
        }
        assertThat(join(leased.acknowledge())).isTrue();
        assertThat(join(elsewhere.acknowledge())).isTrue();
    }

    @Test
    void aReceiptSettlesNoOtherMessageOfTheSamePoll() {
        sendAll(2);
        List<LeasedDelivery> deliveries = receiveNow(2);
        LeasedDelivery own = deliveries.get(0);
        String forged = receipt("orders", deliveries.get(1).id(), own);
        assertThat(own.leaseToken()).isEqualTo(deliveries.get(1).leaseToken());
        Leases leases = receiver.leases();

        assertThat(Stream.of(
                        leases.acknowledge(forged),
                        leases.retry(forged, Duration.ZERO, "r"),
                        leases.postpone(forged, Duration.ZERO),
                        leases.letOthersPass(forged, Duration.ZERO),
                        leases.deadLetter(forged, "r"),
                        leases.extendLease(forged, LEASE),
                        leases.release(forged)))
                .allSatisfy(accepted -> assertThat(join(accepted)).isFalse());

        assertThat(join(leases.extendLease(own.receipt(), LEASE))).isTrue();
        assertThat(join(leases.acknowledge(own.receipt()))).isTrue();
        assertThat(join(deliveries.get(1).acknowledge())).isTrue();
    }

    @Test
    void theReceiptOfAnotherPollIsNotGuessedFromOnesOwn() {
        LeasedDelivery own = delivered("own");
        LeasedDelivery other = delivered("other");
        String receipt = receipt("orders", "other", own);
        int number = receipt.lastIndexOf('-') + 1;
        BigInteger last = new BigInteger(receipt.substring(number), 36);

        Stream<CompletableFuture<Boolean>> guesses = IntStream.rangeClosed(-40, 40)
                .mapToObj(i -> receipt.substring(0, number)
                        + last.add(BigInteger.valueOf(i)).toString(36))
                .map(guess -> receiver.leases().acknowledge(guess));

        assertThat(guesses).allSatisfy(accepted -> assertThat(join(accepted)).isFalse());
        assertThat(join(other.acknowledge())).isTrue();
    }

    /** The id of a dead letter is public, and contains what names the poll. */
    @Test
    void aDeadLetterDoesNotRevealTheTokenOfTheOtherMessagesOfItsPoll() {
        sendAll(2);
        List<LeasedDelivery> deliveries = receiveNow(2);
        join(receiver.leases().deadLetter(deliveries.get(0).receipt(), "no"));

        try (RawRedis redis = new RawRedis(server.port())) {
            String dead =
                    state(redis).lines().filter(line -> line.contains("dead")).collect(Collectors.joining("\n"));
            assertThat(dead)
                    .contains(deliveries.get(0).id() + "@")
                    .doesNotContain(deliveries.get(1).leaseToken());
        }
    }

    private record Forged(String what, CompletableFuture<Boolean> accepted) {}

    /** All keys except the data of polls. */
    private static String state(RawRedis redis) {
        return Dump.of(redis, "dq:")
                .lines()
                .filter(line -> !line.contains(":meta\""))
                .collect(Collectors.joining("\n"));
    }
}
