package io.delayqueue.web.api.openapi;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springdoc.core.providers.JavadocProvider;

/** Reads Javadoc from the sources for the document. */
final class SourceComments implements JavadocProvider {

    private static final Pattern PARAM = Pattern.compile("@param (\\w+) ([^@]*)");

    @Override
    public String getClassJavadoc(Class<?> type) {
        String comment = before(
                source(type),
                "\n(?:@\\w+[^\n]*\n)*public (?:record|class|final class) " + type.getSimpleName() + "\\b");
        return comment.replaceAll("(?s)(^|\\s)@param.*", "").strip();
    }

    @Override
    public Map<String, String> getRecordClassParamJavadoc(Class<?> type) {
        String comment = before(source(type), "\n *(?:@\\w+[^\n]*\n)*public record " + type.getSimpleName() + "\\b");
        Map<String, String> params = new LinkedHashMap<>();
        Matcher matcher = PARAM.matcher(comment);
        while (matcher.find()) {
            params.put(matcher.group(1), capital(matcher.group(2).strip()));
        }
        return params;
    }

    @Override
    public String getMethodJavadocDescription(Method method) {
        return before(
                source(method.getDeclaringClass()), "\n *(?:@[^\n]*\n *)*public [^\n=]* " + method.getName() + "\\(");
    }

    @Override
    public String getMethodJavadocReturn(Method method) {
        return "";
    }

    @Override
    public Map<String, String> getMethodJavadocThrows(Method method) {
        return Map.of();
    }

    @Override
    public String getParamJavadoc(Method method, String name) {
        return "";
    }

    @Override
    public String getFieldJavadoc(Field field) {
        return getRecordClassParamJavadoc(field.getDeclaringClass()).get(field.getName());
    }

    @Override
    public String getFirstSentence(String text) {
        return text;
    }

    private static String capital(String text) {
        return Character.toUpperCase(text.charAt(0)) + text.substring(1) + ".";
    }

    /** The comment before a position. */
    private static String before(String source, String declaration) {
        Matcher matcher = Pattern.compile("/\\*\\*((?:(?!\\*/).)*)\\*/\\s*?" + declaration, Pattern.DOTALL)
                .matcher(source);
        if (!matcher.find()) {
            return "";
        }
        return matcher.group(1)
                .replaceAll("(?m)^\\s*\\* ?", "")
                .replaceAll("\\{@\\w+ ([^}]*)}", "$1")
                .replaceAll("<[^>]+>", "")
                .replaceAll("\\s+", " ")
                .strip();
    }

    private static String source(Class<?> type) {
        Class<?> outer = type.getEnclosingClass() == null ? type : type.getEnclosingClass();
        String file = outer.getName().replace('.', '/') + ".java";
        try {
            for (String module : List.of("delayqueue-http", "delayqueue-core")) {
                Path path = Path.of("..", module, "src/main/java", file);
                if (Files.exists(path)) {
                    return Files.readString(path);
                }
            }
            return "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
