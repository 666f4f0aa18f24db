package io.delayqueue.annotation;

import io.delayqueue.Internal;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;

/** Finds the methods that are annotated as listeners. */
@Internal
public final class DelayListenerMethods {

    private DelayListenerMethods() {}

    /** Whether a class has methods annotated as listeners. A bean of such a class must not be lazy. */
    public static boolean isListenerType(Class<?> type) {
        return !find(type).isEmpty();
    }

    /** The methods and their annotations, in a stable order. */
    static Map<Method, Declared> find(Class<?> type) {
        if (!AnnotationUtils.isCandidateClass(type, List.of(DelayListener.class, DeadLetterListener.class))) {
            return Map.of();
        }
        Map<Method, Declared> methods =
                new TreeMap<>(Comparator.comparing(Method::getName).thenComparing(Method::toGenericString));
        methods.putAll(MethodIntrospector.selectMethods(
                type, (MethodIntrospector.MetadataLookup<Declared>) DelayListenerMethods::declaredOn));
        return methods;
    }

    private static @Nullable Declared declaredOn(Method method) {
        MergedAnnotations annotations = MergedAnnotations.from(
                method, SearchStrategy.TYPE_HIERARCHY, RepeatableContainers.standardRepeatables());
        Declared declared =
                new Declared(nearest(annotations, DelayListener.class), nearest(annotations, DeadLetterListener.class));
        return declared.listeners().isEmpty() && declared.deadLetterListeners().isEmpty() ? null : declared;
    }

    /** An annotation on an overriding method replaces those of the overridden method. */
    private static <A extends Annotation> List<A> nearest(MergedAnnotations annotations, Class<A> type) {
        List<MergedAnnotation<A>> all = annotations.stream(type).toList();
        return all.stream()
                .filter(each -> each.getAggregateIndex() == all.get(0).getAggregateIndex())
                .map(MergedAnnotation::synthesize)
                .toList();
    }

    /**
     * The annotations of a method.
     *
     * @param listeners for messages
     * @param deadLetterListeners for dead letters
     */
    record Declared(List<DelayListener> listeners, List<DeadLetterListener> deadLetterListeners) {}
}
