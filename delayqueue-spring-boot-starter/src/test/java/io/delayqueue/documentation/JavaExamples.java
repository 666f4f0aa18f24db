package io.delayqueue.documentation;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.source.util.JavacTask;
import io.delayqueue.documentation.MarkdownPage.Block;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles blocks of Java, in a class around them if they are not compilation units. */
record JavaExamples(List<Block> blocks) {

    private static final JavaCompiler JAVAC = ToolProvider.getSystemJavaCompiler();
    private static final Pattern UNIT = Pattern.compile("(?m)^(package|import) ");
    private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");
    private static final Pattern TYPE = Pattern.compile("(?m)^(?:public )?(?:class|record|interface) (\\w+)");
    private static final Pattern PARAGRAPH = Pattern.compile("\n\n");

    /** Compiles all blocks together, so that units may use each other. Returns the errors, with page and line. */
    List<String> compile(Path folder) throws IOException {
        List<String> errors = new ArrayList<>();
        List<Source> sources = new ArrayList<>();
        for (Block block : blocks) {
            Source source = source(block, sources.size());
            if (source == null) {
                errors.add(block + " is neither a unit, nor members, nor statements:\n" + block.text());
            } else {
                sources.add(source);
            }
        }
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        try (StandardJavaFileManager files = JAVAC.getStandardFileManager(diagnostics, Locale.ROOT, UTF_8)) {
            List<String> options =
                    List.of("-proc:none", "-parameters", "-Xlint:none", "-d", folder.toString(), "-cp", classPath());
            JAVAC.getTask(null, files, diagnostics, options, null, sources).call();
        }
        for (Diagnostic<? extends JavaFileObject> each : diagnostics.getDiagnostics()) {
            if (each.getKind() == Diagnostic.Kind.ERROR) {
                errors.add(describe(each));
            }
        }
        return errors;
    }

    private static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    private static String describe(Diagnostic<? extends JavaFileObject> diagnostic) {
        String where = diagnostic.getSource() instanceof Source source
                ? source.block + ":\n"
                        + source.text
                                .lines()
                                .skip(diagnostic.getLineNumber() - 1)
                                .findFirst()
                                .orElse("")
                : "";
        return diagnostic.getMessage(Locale.ROOT) + " in the block " + where;
    }

    private static Source source(Block block, int index) {
        String text = block.text();
        if (UNIT.matcher(text).find()) {
            return new Source(block, unitName(text), text);
        }
        String members = members(text, index);
        if (parses(block, members)) {
            return new Source(block, "example/Example" + index, members);
        }
        String statements = statements(text, "", index);
        if (parses(block, statements)) {
            return new Source(block, "example/Example" + index, statements);
        }
        Matcher paragraph = PARAGRAPH.matcher(text);
        while (paragraph.find()) {
            String both = statements(text.substring(0, paragraph.start()), text.substring(paragraph.end()), index);
            if (parses(block, both)) {
                return new Source(block, "example/Example" + index, both);
            }
        }
        return null;
    }

    private static String unitName(String text) {
        Matcher type = TYPE.matcher(text);
        Matcher inPackage = PACKAGE.matcher(text);
        return (inPackage.find() ? inPackage.group(1).replace('.', '/') + "/" : "")
                + (type.find() ? type.group(1) : "Unknown");
    }

    private static String members(String text, int index) {
        return Names.IMPORTS + "abstract class Example" + index + " extends Names {\n" + text + "}\n";
    }

    private static String statements(String statements, String members, int index) {
        return members("void example() throws Exception {\n" + statements + "\n}\n" + members, index);
    }

    private static boolean parses(Block block, String text) {
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        JavacTask task = (JavacTask) JAVAC.getTask(
                null, null, diagnostics, List.of("-proc:none"), null, List.of(new Source(block, "example/Any", text)));
        try {
            task.parse();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return diagnostics.getDiagnostics().stream().noneMatch(each -> each.getKind() == Diagnostic.Kind.ERROR);
    }

    private static final class Source extends SimpleJavaFileObject {

        private final Block block;
        private final String text;

        Source(Block block, String name, String text) {
            super(URI.create("string:///" + name + Kind.SOURCE.extension), Kind.SOURCE);
            this.block = block;
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
