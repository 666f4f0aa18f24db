package io.delayqueue.actuate;

import io.delayqueue.admin.DeclaredSchedules;
import io.delayqueue.admin.DeclaredSchedules.Orphan;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.admin.DelayQueueJobs;
import io.delayqueue.admin.HandlerForecasts;
import io.delayqueue.admin.MessagePage;
import io.delayqueue.admin.MessageView;
import io.delayqueue.admin.Nodes;
import io.delayqueue.admin.TopicSample;
import io.delayqueue.admin.TopicSampler;
import io.delayqueue.admin.TopicStatus;
import io.delayqueue.admin.UpcomingSampler;
import io.delayqueue.admin.diagnosis.Diagnosis;
import io.delayqueue.admin.diagnosis.QueueDiagnosis;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.listener.ManagedListener;
import io.delayqueue.management.DeadLetterDetails;
import io.delayqueue.management.Jobs;
import io.delayqueue.management.MessageDetails;
import io.delayqueue.management.ScheduleDetails;
import io.delayqueue.management.SchedulePage;
import io.delayqueue.management.Shown;
import io.delayqueue.template.DelayQueueOperations;
import io.delayqueue.template.DelayQueueSchedules;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the overview and the views. Thread-safe.
 *
 * @param node this node
 * @param clock the clock of this node
 * @param listeners the listeners of this node; null if the application has none
 * @param inspector reads topics, live messages and nodes
 * @param sampler keeps the history of topics
 * @param upcoming counts the messages of all topics by due time
 * @param forecasts forecasts how many handlers topics need
 * @param diagnosis finds what to look at
 * @param maxLag the health thresholds of topics, by name
 * @param admin reads dead letters
 * @param jobs reads jobs
 * @param operations finds messages by their id
 * @param schedules reads schedules; null if the application has operations of its own
 * @param declared knows schedules that no listener declares any more; null if the application has no listeners
 */
public record QueueViews(
        NodeIdentity node,
        InstantSource clock,
        @Nullable DelayListenerRegistry listeners,
        DelayQueueInspector inspector,
        TopicSampler sampler,
        UpcomingSampler upcoming,
        HandlerForecasts forecasts,
        QueueDiagnosis diagnosis,
        Map<String, Duration> maxLag,
        DelayQueueAdmin admin,
        DelayQueueJobs jobs,
        DelayQueueOperations operations,
        @Nullable DelayQueueSchedules schedules,
        @Nullable DeclaredSchedules declared) {

    private static final int DEFAULT_PAGE = 50;
    private static final int DEFAULT_GROUPED = 10_000;
    private static final String ALL = "all";
    private static final Duration DEFAULT_SPAN = Duration.ofHours(1);
    private static final int DEFAULT_BUCKETS = 60;
    private static final int NEXT_OF_ONE = 5;

    /**
     * The constant properties of this node.
     *
     * @param namespace the namespace of all keys in Redis
     * @param name the name of the node
     * @param writable whether the endpoint permits actions
     * @param links where the dashboard links to
     */
    public record NodeIdentity(String namespace, String name, boolean writable, Overview.Links links) {}

    /**
     * Reads the overview.
     *
     * @param history whether to include the samples of the topics
     * @param live a topic whose status is read now; the others may be some seconds old if there are many
     */
    Overview overview(boolean history, @Nullable String live) {
        Nodes nodes = inspector.nodes();
        List<TopicStatus> statuses = recent(live);
        Diagnosis found = diagnosis.diagnose(statuses, nodes, sampler.recentServers(), sampler.holders());
        return new Overview(
                node.namespace(),
                node.name(),
                clock.instant(),
                node.writable(),
                node.links(),
                found.findings(),
                sampler.recentServers(),
                nodes.live(),
                nodes.former(),
                listeners == null
                        ? List.of()
                        : listeners.getContainers().stream()
                                .map(ManagedListener::status)
                                .toList(),
                statuses.stream()
                        .map(status -> topic(status, found, history ? sampler.history(status.topic()) : List.of()))
                        .toList());
    }

    /**
     * Reads one view.
     *
     * @param shown what the caller sees of headers and payloads
     */
    Object read(Operation view, Parameters parameters, Shown shown) {
        if (view == Operation.FIND) {
            return find(parameters.required("id"), shown);
        }
        if (view == Operation.JOBS) {
            return new Jobs(jobs.jobs());
        }
        if (view == Operation.STACK) {
            return stack(parameters.required("node"), parameters.required("listener"), shown);
        }
        if (view == Operation.UPCOMING) {
            return parameters.has("topic")
                    ? upcoming(parameters.required("topic"), parameters)
                    : upcomingOfAll(parameters);
        }
        String topic = parameters.required("topic");
        return switch (view) {
            case TOPIC -> topic(topic);
            case DEAD_GROUPS -> deadGroups(topic, parameters);
            case MESSAGES -> messages(topic, parameters, shown);
            case MESSAGE -> message(topic, parameters.required("id"), shown);
            case DEAD -> deadLetters(topic, parameters, shown);
            case DEAD_LETTER -> deadLetter(topic, parameters.required("deadLetter"), shown);
            case FORECAST -> forecasts.of(topic);
            case SCHEDULES -> schedules(topic, parameters, shown);
            case SCHEDULE -> schedule(topic, parameters.required("id"), shown);
            case SLOWEST_KEYS -> SlowestKeys.of(inspector.slowestKeys(topic), shown);
            default -> throw new IllegalArgumentException(view + " is not a view");
        };
    }

    private Object stack(String name, String listener, Shown shown) {
        if (shown == Shown.SIZE) {
            throw RejectedRequestException.forbidden(
                    "Reading a stack requires permission to see payloads: see the property"
                            + " management.endpoint.delayqueue.show-payloads.");
        }
        return new StackDetails(admin.stack(name, listener));
    }

    private Object topic(String topic) {
        TopicStatus status = inspector.topic(topic).orElseThrow(() -> RejectedRequestException.noTopic(topic));
        List<TopicStatus> topics = with(status, topic);
        Diagnosis found = diagnosis.diagnose(topics, inspector.nodes(), sampler.recentServers(), sampler.holders());
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

    private TopicDetails topic(TopicStatus status, Diagnosis found, List<TopicSample> history) {
        String topic = status.topic();
        Optional<TopicSample> newest = sampler.newest(topic);
        return new TopicDetails(
                status,
                maxLag.get(topic),
                found.topics().getOrDefault(topic, List.of()),
                found.attempts().get(topic),
                sampler.holders().stream()
                        .filter(each -> each.topic().equals(topic))
                        .toList(),
                newest.map(TopicSample::sent).orElse(0L),
                newest.map(TopicSample::handled).orElse(0L),
                history);
    }

    private Object messages(String topic, Parameters parameters, Shown shown) {
        int count = parameters.number("count", DEFAULT_PAGE, DelayQueueInspector.MAX_PAGE);
        MessagePage page = inspector.messages(topic, state(parameters), count, parameters.text("page"));
        return MessageDetails.Page.of(page.messages(), page.next(), shown);
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

    private Object schedules(String topic, Parameters parameters, Shown shown) {
        int count = parameters.number("count", DEFAULT_PAGE, DelayQueueSchedules.MAX_LISTED);
        return schedules == null
                ? new SchedulePage(List.of(), null)
                : SchedulePage.of(schedules.list(topic, parameters.text("page"), count), orphans(), shown);
    }

    private Object schedule(String topic, String id, Shown shown) {
        return Optional.ofNullable(schedules)
                .flatMap(present -> present.find(topic, id))
                .map(schedule -> ScheduleDetails.of(schedule, NEXT_OF_ONE, orphans(), shown))
                .orElseThrow(() -> RejectedRequestException.noSchedule(topic, id));
    }

    private List<Orphan> orphans() {
        return declared == null ? List.of() : declared.orphans();
    }

    private Object find(String id, Shown shown) {
        return MessageDetails.Page.of(inspector.find(id), null, shown);
    }

    private Object message(String topic, String id, Shown shown) {
        return operations
                .find(topic, id)
                .map(message -> MessageDetails.of(message, shown))
                .orElseThrow(() -> RejectedRequestException.noMessage(topic, id));
    }

    private Object deadLetters(String topic, Parameters parameters, Shown shown) {
        int count = parameters.number("count", DEFAULT_PAGE, DelayQueueAdmin.MAX_PAGE);
        return DeadLetterDetails.Page.of(admin.deadLetters(topic, count, parameters.text("page")), shown);
    }

    /** Exception types and messages are shown to everyone with read access, as in the list of dead letters. */
    private Object deadGroups(String topic, Parameters parameters) {
        int count = parameters.number("count", DEFAULT_GROUPED, DelayQueueInspector.MAX_GROUPED);
        return inspector.deadLetterGroups(topic, count);
    }

    private Object deadLetter(String topic, String deadLetter, Shown shown) {
        return admin.deadLetter(topic, deadLetter)
                .map(found -> DeadLetterDetails.of(found, shown))
                .orElseThrow(() -> RejectedRequestException.noDeadLetter(topic, deadLetter));
    }

    private Object upcoming(String topic, Parameters parameters) {
        int buckets = parameters.number("buckets", DEFAULT_BUCKETS, DelayQueueInspector.MAX_BUCKETS);
        Duration span = span(parameters);
        return span == null ? inspector.upcoming(topic, buckets) : inspector.upcoming(topic, span, buckets);
    }

    private Object upcomingOfAll(Parameters parameters) {
        if (parameters.has("buckets")) {
            throw RejectedRequestException.badRequest("The parameter 'buckets' requires the parameter 'topic': all"
                    + " topics together have " + UpcomingSampler.BUCKETS + " buckets.");
        }
        return upcoming.recent(span(parameters));
    }

    /** Returns null for the time until the last message is due. */
    private static @Nullable Duration span(Parameters parameters) {
        if (!parameters.has("span")) {
            return DEFAULT_SPAN;
        }
        return ALL.equals(parameters.text("span")) ? null : parameters.duration("span");
    }
}
