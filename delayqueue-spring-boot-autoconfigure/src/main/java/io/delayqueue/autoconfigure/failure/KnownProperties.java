package io.delayqueue.autoconfigure.failure;

import io.delayqueue.message.SimilarNames;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.core.ResolvableType;

/** The keys of a properties record, including those of its nested groups, maps and lists. */
record KnownProperties(Class<?> root) {

    private static final int PREFIX_ELEMENTS = 1;

    /**
     * What is known about a key that was not bound.
     *
     * @param lists the lists that contain the key, outermost first; empty if the key is unknown
     * @param advice a correction of an unknown key
     */
    record Key(List<ConfigurationPropertyName> lists, String advice) {}

    Key find(ConfigurationPropertyName name) {
        List<ConfigurationPropertyName> lists = new ArrayList<>();
        Class<?> type = root;
        int index = PREFIX_ELEMENTS;
        boolean inMap = false;
        while (index < name.getNumberOfElements()) {
            Optional<RecordComponent> known = component(type, name.getElement(index, Form.DASHED));
            if (known.isEmpty()) {
                return new Key(List.of(), adviceAt(name, index, type, inMap));
            }
            inMap = known.get().getType() == Map.class;
            boolean inList = known.get().getType() == List.class;
            type = inMap || inList ? elementType(known.get()) : known.get().getType();
            if (inList && isIndex(name, index + 1)) {
                lists.add(name.chop(index + 1));
            } else if (inList && type.isRecord()) {
                return new Key(List.of(), "Write it as '" + name.chop(index + 1) + "[0]', and so on.");
            }
            index += inMap || inList ? 2 : 1;
            if (!type.isRecord()) {
                break;
            }
        }
        return new Key(index == name.getNumberOfElements() ? lists : List.of(), "Remove '" + name + "'.");
    }

    private String adviceAt(ConfigurationPropertyName name, int index, Class<?> type, boolean inMap) {
        int last = name.getNumberOfElements() - 1;
        String lastElement = name.getElement(last, Form.DASHED);
        if (inMap && index < last && component(type, lastElement).isPresent()) {
            String key = IntStream.range(index - 1, last)
                    .mapToObj(each -> name.getElement(each, Form.ORIGINAL))
                    .collect(Collectors.joining("."));
            return "Write it as '" + name.chop(index - 1) + "[" + key + "]." + lastElement + "'.";
        }
        String parent = name.chop(index).toString();
        return near(type, name.getElement(index, Form.DASHED))
                .map(known -> parent + "." + known)
                .or(() -> elsewhere(lastElement))
                .map(known -> "Did you mean '" + known + "'?")
                .orElseGet(() -> "Remove '" + name + "'. Valid keys of '" + parent + "': "
                        + String.join(", ", names(type)) + ".");
    }

    private static Optional<String> near(Class<?> type, String element) {
        return names(type).stream()
                .filter(known -> SimilarNames.distance(known, element) <= Math.max(2, known.length() / 3))
                .min(Comparator.comparingInt(known -> SimilarNames.distance(known, element)));
    }

    /** A key with the same last element in another group. */
    private Optional<String> elsewhere(String lastElement) {
        return components(root)
                .filter(group -> group.getType().isRecord())
                .filter(group -> component(group.getType(), lastElement).isPresent())
                .map(group -> "delayqueue." + dashed(group) + "." + lastElement)
                .findFirst();
    }

    private static List<String> names(Class<?> type) {
        return components(type).map(KnownProperties::dashed).toList();
    }

    private static Optional<RecordComponent> component(Class<?> type, String name) {
        return components(type).filter(each -> dashed(each).equals(name)).findFirst();
    }

    private static Stream<RecordComponent> components(Class<?> type) {
        return Arrays.stream(type.getRecordComponents());
    }

    private static String dashed(RecordComponent component) {
        return DataObjectPropertyName.toDashedForm(component.getName());
    }

    private static boolean isIndex(ConfigurationPropertyName name, int index) {
        return index < name.getNumberOfElements() && name.isNumericIndex(index);
    }

    /** The type of the values of a map or of the elements of a list. */
    private static Class<?> elementType(RecordComponent component) {
        ResolvableType type = ResolvableType.forType(component.getGenericType());
        return type.getGeneric(type.getGenerics().length - 1).resolve(Object.class);
    }
}
