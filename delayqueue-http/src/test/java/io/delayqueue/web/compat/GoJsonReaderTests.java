package io.delayqueue.web.compat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.delayqueue.web.compat.CompatRequest.Field;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Reads bytes as a Go server does. */
class GoJsonReaderTests {

    private static final Set<Field> ALL = EnumSet.allOf(Field.class);

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void ids(String json, String id) {
        assertThat(read(json))
                .as(json)
                .isNotNull()
                .extracting(CompatRequest::id)
                .isEqualTo(id);
    }

    static Stream<Arguments> ids() {
        return Stream.of(
                arguments("{}", ""),
                arguments("null", ""),
                arguments(" \t\r\n{\"id\":\"a\"} \t\r\n", "a"),
                arguments("{\"ID\":\"a\"}", "a"),
                arguments("{\"Id\":\"a\"}", "a"),
                arguments("{\"\\u0069d\":\"a\"}", "a"),
                arguments("{\"\u0130d\":\"a\"}", ""),
                arguments("{\"\u0131d\":\"a\"}", ""),
                arguments("{\"id \":\"a\"}", ""),
                arguments("{\"idd\":\"a\"}", ""),
                arguments("{\"id\":\"a\",\"id\":\"b\"}", "b"),
                arguments("{\"ID\":\"a\",\"iD\":\"b\"}", "b"),
                arguments("{\"id\":null}", ""),
                arguments("{\"id\":\"a\",\"id\":null}", "a"),
                arguments("{\"id\":\"a\",\"x\":{\"id\":\"b\"}}", "a"),
                arguments("{\"id\":\"a\",\"x\":[1.5e-9,true,false,null,{},[]],\"y\":-0.0e+10}", "a"),
                arguments("{\"id\":\"a\",\"x\":1e999999999999}", "a"),
                arguments("{\"id\":\"a\",\"x\":" + "9".repeat(5000) + "}", "a"),
                arguments("{\"id\":\"a\",\"" + "k".repeat(60_000) + "\":1}", "a"),
                arguments("{\"id\":\"\\b\\f\\n\\r\\t\\\\\\/\\\"x\"}", "\b\f\n\r\t\\/\"x"),
                arguments("{\"id\":\"\\u00e9\\u00E9\"}", "éé"),
                arguments("{\"id\":\"\\ud83d\\ude00\"}", "😀"),
                arguments("{\"id\":\"😀\"}", "😀"),
                arguments("{\"id\":\"\\ud83d\"}", "\uFFFD"),
                arguments("{\"id\":\"\\ude00\\ud83d\"}", "\uFFFD\uFFFD"),
                arguments("{\"id\":\"\\ud83dx\"}", "\uFFFDx"),
                arguments("{\"id\":\"\\ud83d😀\"}", "\uFFFD😀"),
                arguments("{\"id\":\"\\ud83d\\u0041\"}", "\uFFFDA"),
                arguments("{\"id\":\"a\u2028b\u007f\"}", "a\u2028b\u007f"),
                arguments("{\"id\":\"a\\u0000b\"}", "a\u0000b"),
                arguments("{\"id\":\" \\t a b \\n\"}", "a b"),
                arguments(
                        "{\"id\":\"\u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000\u000ba\u2007\"}"
                                .replace("\u000b", "\\u000b"),
                        "a"),
                arguments("{\"id\":\"\\u001c\\u001fa\u200b\ufeff\u180e\"}", "\u001c\u001fa\u200b\ufeff\u180e"),
                arguments("{\"delay\":-0,\"id\":\"a\"}", "a"));
    }

    /** Separated by bars. */
    static Stream<String> rejected() {
        return Stream.of((" |{|}|[]|\"id\"|1|true|nul|nullx|Null|\uFEFF{}|{}x|{} {}|{},|null null|{\"id\":\"a\""
                        + "|{\"id\":\"a\",}|{\"id\" \"a\"}|{id:\"a\"}|{'id':'a'}|{\"id\":'a'}|{\"id\":1}"
                        + "|{\"id\":true}|{\"id\":[]}|{\"id\":{}}|{\"id\":1,\"id\":\"a\"}|{\"delay\":\"1\"}"
                        + "|{\"delay\":1.0}|{\"delay\":1e3}|{\"delay\":1E3}|{\"delay\":true}|{\"delay\":{}}"
                        + "|{\"delay\":9223372036854775808}|{\"delay\":-9223372036854775809}|{\"delay\":01}"
                        + "|{\"delay\":+1}|{\"delay\":.5}|{\"delay\":1.}|{\"delay\":-}|{\"delay\":0x10}"
                        + "|{\"delay\":NaN}|{\"delay\":Infinity}|{\"x\":01}|{\"x\":1.}|{\"x\":tru}|{\"x\":[1,]}"
                        + "|{\"x\":[,1]}|{\"x\":\"\\x\"}|{\"x\":\"\\'\"}|{\"x\":\"\\u12g4\"}|{\"x\":\"\\u12\"}"
                        + "|{\"x\":\"a\nb\"}|{\"x\":\"a\tb\"}|{\"x\":\"a\u0000b\"}|{\"x\":\"a\u001fb\"}|{\"a\nb\":1}"
                        + "|{\"x\":1/**/}|{\"x\":1}//|#\n{}|\u00a0{}|\f{}|\u001e{}|{}\u0000|{\"x\":1 \u000b}")
                .split("\\|"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rejected")
    void jsonThatGoRejectsIsRejected(String json) {
        assertThat(read(json)).isNull();
    }

    @Test
    void numbersAreIntegers() {
        CompatRequest request = read("{\"delay\":9223372036854775807,\"TTR\":-9223372036854775808}");
        assertThat(request).isNotNull();
        assertThat(request.delay()).isEqualTo(Long.MAX_VALUE);
        assertThat(request.ttr()).isEqualTo(Long.MIN_VALUE);
        assertThat(read("{\"delay\":-0}")).extracting(CompatRequest::delay).isEqualTo(0L);
        assertThat(read("{\"delay\":5,\"delay\":null}"))
                .extracting(CompatRequest::delay)
                .isEqualTo(5L);
    }

    @Test
    void fieldsOfOtherRequestsAreIgnored() {
        byte[] body = "{\"id\":\"a\",\"delay\":\"soon\",\"topic\":[1]}".getBytes(UTF_8);
        assertThat(GoJsonReader.read(body, EnumSet.of(Field.ID)))
                .extracting(CompatRequest::id)
                .isEqualTo("a");
        assertThat(GoJsonReader.read(body, EnumSet.of(Field.TOPIC))).isNull();
    }

    @Test
    void nestingIsLimited() {
        assertThat(read("{\"x\":" + "[".repeat(9_999) + "]".repeat(9_999) + "}"))
                .isNotNull();
        assertThat(read("{\"x\":" + "[".repeat(10_000) + "]".repeat(10_000) + "}"))
                .isNull();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void invalidBytesBecomeReplacements(String latin, String id) {
        byte[] body = ("{\"id\":\"" + latin + "\"}").getBytes(ISO_8859_1);
        assertThat(GoJsonReader.read(body, ALL)).extracting(CompatRequest::id).isEqualTo(id);
    }

    static Stream<Arguments> invalidBytesBecomeReplacements() {
        return Stream.of(
                arguments("\u00ff", "\uFFFD"),
                arguments("a\u0080b", "a\uFFFDb"),
                arguments("\u00e4\u00b8\u00ad", "中"),
                arguments("\u00e4\u00b8", "\uFFFD\uFFFD"),
                arguments("\u00e4\u00b8x", "\uFFFD\uFFFDx"),
                arguments("\u00c0\u0080", "\uFFFD\uFFFD"),
                arguments("\u00c3", "\uFFFD"),
                arguments("\u00e0\u0080\u0080", "\uFFFD\uFFFD\uFFFD"),
                arguments("\u00ed\u00a0\u0080", "\uFFFD\uFFFD\uFFFD"),
                arguments("\u00ed\u009f\u00bf", "\ud7ff"),
                arguments("\u00f0\u009f\u0098\u0080", "😀"),
                arguments("\u00f0\u009f\u0098", "\uFFFD\uFFFD\uFFFD"),
                arguments("\u00f4\u008f\u00bf\u00bf", new String(Character.toChars(0x10FFFF))),
                arguments("\u00f4\u0090\u0080\u0080", "\uFFFD\uFFFD\uFFFD\uFFFD"),
                arguments("\u00f5\u0080\u0080\u0080", "\uFFFD\uFFFD\uFFFD\uFFFD"),
                arguments("\u00ef\u00bf\u00bd\u00ff", "\uFFFD\uFFFD"));
    }

    @Test
    void invalidBytesOutsideOfStringsAreRejected() {
        assertThat(GoJsonReader.read(new byte[] {(byte) 0xff, '{', '}'}, ALL)).isNull();
        assertThat(GoJsonReader.read(new byte[] {'{', '}', (byte) 0x80}, ALL)).isNull();
        assertThat(GoJsonReader.read("{}".getBytes(java.nio.charset.StandardCharsets.UTF_16), ALL))
                .isNull();
        assertThat(GoJsonReader.read("{}".getBytes(java.nio.charset.StandardCharsets.UTF_16LE), ALL))
                .isNull();
    }

    private static @Nullable CompatRequest read(String json) {
        return GoJsonReader.read(json.getBytes(UTF_8), ALL);
    }
}
