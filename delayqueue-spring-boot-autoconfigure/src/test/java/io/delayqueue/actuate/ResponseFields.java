package io.delayqueue.actuate;

import io.delayqueue.admin.DeadLetterGroups;
import io.delayqueue.admin.HandlerForecast;
import io.delayqueue.admin.Upcoming;
import io.delayqueue.management.DeadLetterDetails;
import io.delayqueue.management.Jobs;
import io.delayqueue.management.ManagementJson;
import io.delayqueue.management.MessageDetails;
import io.delayqueue.management.ScheduleDetails;
import io.delayqueue.management.SchedulePage;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.springframework.test.util.ReflectionTestUtils;

/** The names of the fields of all responses of the endpoint, as {@link ManagementJson} writes them. */
public final class ResponseFields {

    private static final Set<?> FLAT =
            (Set<?>) Objects.requireNonNull(ReflectionTestUtils.getField(ManagementJson.class, "FLAT"));

    private ResponseFields() {}

    /**
     * The fields by the path of the view, {@code action} for actions, {@code error} for errors. The value of a field are
     * the fields of its records, none for other values.
     */
    public static Map<String, Map<String, ?>> byView() {
        return Map.ofEntries(
                Map.entry("", of(Overview.class)),
                Map.entry(Operation.TOPIC.path(), of(TopicDetails.class)),
                Map.entry(Operation.MESSAGES.path(), of(MessageDetails.Page.class)),
                Map.entry(Operation.MESSAGE.path(), of(MessageDetails.class)),
                Map.entry(Operation.FIND.path(), of(MessageDetails.Page.class)),
                Map.entry(Operation.DEAD.path(), of(DeadLetterDetails.Page.class)),
                Map.entry(Operation.DEAD_LETTER.path(), of(DeadLetterDetails.class)),
                Map.entry(Operation.DEAD_GROUPS.path(), of(DeadLetterGroups.class)),
                Map.entry(Operation.JOBS.path(), of(Jobs.class)),
                Map.entry(Operation.UPCOMING.path(), of(Upcoming.class)),
                Map.entry(Operation.FORECAST.path(), of(HandlerForecast.class)),
                Map.entry(Operation.SLOWEST_KEYS.path(), of(SlowestKeys.class)),
                Map.entry(Operation.SCHEDULES.path(), of(SchedulePage.class)),
                Map.entry(Operation.SCHEDULE.path(), of(ScheduleDetails.class)),
                Map.entry(Operation.STACK.path(), of(StackDetails.class)),
                Map.entry("action", of(ActionResponse.class)),
                Map.entry("error", of(ErrorResponse.class)));
    }

    private static Map<String, Object> of(Class<?> type) {
        Map<String, Object> fields = new TreeMap<>();
        for (RecordComponent component : type.getRecordComponents()) {
            Type value = component.getGenericType();
            if (value instanceof ParameterizedType generic && generic.getRawType() == List.class) {
                value = generic.getActualTypeArguments()[0];
            }
            Map<String, Object> inner = value instanceof Class<?> each && each.isRecord() ? of(each) : Map.of();
            if (FLAT.contains(component.getType())) {
                fields.putAll(inner);
            } else {
                String name = component.getName();
                fields.put(value == Duration.class ? name + "Millis" : name, inner.isEmpty() ? "" : inner);
            }
        }
        return fields;
    }
}
