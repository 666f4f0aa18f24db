package io.delayqueue.actuate;

import io.delayqueue.actuate.response.DeadLetterDescriptor;
import io.delayqueue.actuate.response.DeadLetterGroupsDescriptor;
import io.delayqueue.actuate.response.FindingDescriptor;
import io.delayqueue.actuate.response.JobDescriptor;
import io.delayqueue.actuate.response.MessageDescriptor;
import io.delayqueue.actuate.response.NodeDescriptor;
import io.delayqueue.actuate.response.OverviewDescriptor;
import io.delayqueue.actuate.response.OverviewDescriptor.Listener;
import io.delayqueue.actuate.response.TopicDescriptor;
import io.delayqueue.actuate.response.UpcomingDescriptor;
import io.delayqueue.admin.DeadLetterPage;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.admin.DelayQueueJobs;
import io.delayqueue.admin.Diagnosis;
import io.delayqueue.admin.MessagePage;
import io.delayqueue.admin.MessageView;
import io.delayqueue.admin.Nodes;
import io.delayqueue.admin.QueueDiagnosis;
import io.delayqueue.admin.TopicSample;
import io.delayqueue.admin.TopicSampler;
import io.delayqueue.admin.TopicStatus;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.template.DelayQueueOperations;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Reads the overview and the views. Thread-safe.
 *
 * @param node this node
 * @param clock the clock of this node
 * @param listeners the listeners of this node; null if the application has none
 * @param inspector reads topics, live messages and nodes
 * @param sampler keeps the history of topics
 * @param diagnosis finds what to look at
 * @param maxLag the health thresholds of topics, by name
 * @param admin reads dead letters
 * @param jobs reads jobs
 * @param operations finds messages by their id
 */
public record QueueViews(
        NodeIdentity node,
        InstantSource clock,
        @Nullable DelayListenerRegistry listeners,
        DelayQueueInspector inspector,
        TopicSampler sampler,
        QueueDiagnosis diagnosis,
        Map<String, Duration> maxLag,
        DelayQueueAdmin admin,
        DelayQueueJobs jobs,
        DelayQueueOperations operations) {

    private static final int DEFAULT_PAGE = 50;
    private static final int DEFAULT_GROUPED = 10_000;
    private static final Duration DEFAULT_SPAN = Duration.ofHours(1);
    private static final int DEFAULT_BUCKETS = 60;

    /**
     * The constant properties of this node.
     *
     * @param namespace the namespace of all keys in Redis
     * @param name the name of the node
     * @param writable whether the endpoint permits actions
     */
    public record NodeIdentity(String namespace, String name, boolean writable) {}

    /**
     * Reads the overview.
     *
     * @param history whether to include the samples of the topics
     * @param live a topic whose status is read now; the others may be some seconds old if there are many
     */
    OverviewDescriptor overview(boolean history, @Nullable String live) {
        Nodes nodes = inspector.nodes();
        List<TopicStatus> statuses = recent(live);
        Diagnosis found = diagnosis.diagnose(statuses, nodes);
        List<TopicDescriptor> topics = statuses.stream()
                .map(status -> topic(status, found, history ? sampler.history(status.topic()) : List.of()))
                .toList();
        return new OverviewDescriptor(
                node.namespace(),
                node.name(),
                clock.instant(),
                node.writable(),
                found.findings().stream().map(FindingDescriptor::of).toList(),
                nodes.live().stream().map(NodeDescriptor::of).toList(),
                nodes.former(),
                listeners == null
                        ? List.of()
                        : listeners.getContainers().stream().map(Listener::of).toList(),
                topics);
    }

    /**
     * Reads one view.
     *
     * @param showPayloads whether the caller may see payloads and headers
     */
    OperationResponseBody read(Operation view, Parameters parameters, boolean showPayloads) {
        if (view == Operation.FIND) {
            return find(parameters.required("id"), showPayloads);
        }
        if (view == Operation.JOBS) {
            return new JobDescriptor.Jobs(
                    jobs.jobs().stream().map(JobDescriptor::of).toList());
        }
        String topic = parameters.required("topic");
        return switch (view) {
            case TOPIC -> topic(topic);
            case DEAD_GROUPS -> deadGroups(topic, parameters);
            case MESSAGES -> messages(topic, parameters, showPayloads);
            case MESSAGE -> message(topic, parameters.required("id"), showPayloads);
            case DEAD -> deadLetters(topic, parameters, showPayloads);
            case DEAD_LETTER -> deadLetter(topic, parameters.required("deadLetter"), showPayloads);
            case UPCOMING -> upcoming(topic, parameters);
            default -> throw new IllegalArgumentException(view + " is not a view");
        };
    }

    private OperationResponseBody topic(String topic) {
        TopicStatus status = inspector.topic(topic).orElseThrow(() -> RejectedRequestException.noTopic(topic));
        Diagnosis found = diagnosis.diagnose(with(status, topic), inspector.nodes());
        return topic(status, found, sampler.history(topic));
    }

    private List<TopicStatus> recent(@Nullable String live) {
        return live == null
                ? sampler.recent()
                : with(inspector.topicOrProblem(live).orElse(null), live);
    }

    /** The recent topics, with the newer status of one of them; null if it does not exist. */
    private List<TopicStatus> with(@Nullable TopicStatus newest, String topic) {
        return Stream.concat(
                        sampler.recent().stream()
                                .filter(status -> !status.topic().equals(topic)),
                        Stream.ofNullable(newest))
                .sorted(Comparator.comparing(TopicStatus::topic))
                .toList();
    }

    private TopicDescriptor topic(TopicStatus status, Diagnosis found, List<TopicSample> history) {
        return TopicDescriptor.of(status, found, history, maxLag.get(status.topic()));
    }

    private OperationResponseBody messages(String topic, Parameters parameters, boolean showPayloads) {
        int count = parameters.number("count", DEFAULT_PAGE, DelayQueueInspector.MAX_PAGE);
        MessagePage page = inspector.messages(topic, state(parameters), count, parameters.text("page"));
        return new MessageDescriptor.Page(
                page.messages().stream()
                        .map(message -> MessageDescriptor.of(message, showPayloads))
                        .toList(),
                page.next());
    }

    private static MessageView state(Parameters parameters) {
        String state = parameters.text("state");
        if (state == null) {
            return MessageView.SCHEDULED;
        }
        return Stream.of(MessageView.values())
                .filter(view -> view.name().toLowerCase(Locale.ROOT).equals(state))
                .findFirst()
                .orElseThrow(() -> parameters.wrong("state", "scheduled, ready or leased"));
    }

    private OperationResponseBody find(String id, boolean showPayloads) {
        return new MessageDescriptor.Page(
                inspector.find(id).stream()
                        .map(message -> MessageDescriptor.of(message, showPayloads))
                        .toList(),
                null);
    }

    private OperationResponseBody message(String topic, String id, boolean showPayloads) {
        return operations
                .find(topic, id)
                .map(message -> MessageDescriptor.of(message, showPayloads))
                .orElseThrow(() -> RejectedRequestException.noMessage(topic, id));
    }

    private OperationResponseBody deadLetters(String topic, Parameters parameters, boolean showPayloads) {
        int count = parameters.number("count", DEFAULT_PAGE, DelayQueueAdmin.MAX_PAGE);
        DeadLetterPage page = admin.deadLetters(topic, count, parameters.text("page"));
        return new DeadLetterDescriptor.Page(
                page.deadLetters().stream()
                        .map(deadLetter -> DeadLetterDescriptor.of(deadLetter, showPayloads))
                        .toList(),
                page.next());
    }

    /** Exception types and messages are shown to everyone with read access, as in the list of dead letters. */
    private OperationResponseBody deadGroups(String topic, Parameters parameters) {
        int count = parameters.number("count", DEFAULT_GROUPED, DelayQueueInspector.MAX_GROUPED);
        return DeadLetterGroupsDescriptor.of(inspector.deadLetterGroups(topic, count));
    }

    private OperationResponseBody deadLetter(String topic, String deadLetter, boolean showPayloads) {
        return admin.deadLetter(topic, deadLetter)
                .map(found -> DeadLetterDescriptor.of(found, showPayloads))
                .orElseThrow(() -> RejectedRequestException.noDeadLetter(topic, deadLetter));
    }

    private OperationResponseBody upcoming(String topic, Parameters parameters) {
        Duration span = parameters.has("span") ? parameters.duration("span") : DEFAULT_SPAN;
        int buckets = parameters.number("buckets", DEFAULT_BUCKETS, DelayQueueInspector.MAX_BUCKETS);
        return UpcomingDescriptor.of(inspector.upcoming(topic, span, buckets));
    }
}
