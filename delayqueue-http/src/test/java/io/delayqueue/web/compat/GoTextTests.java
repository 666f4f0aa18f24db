package io.delayqueue.web.compat;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GoTextTests {

    @Test
    void responsesAreFormattedAsByGo() {
        assertThat(new String(ResponseBody.done("添加成功"), UTF_8))
                .isEqualTo("{\"code\":0,\"message\":\"添加成功\",\"data\":null}");
        assertThat(new String(ResponseBody.failed("topic 不能为空"), UTF_8))
                .isEqualTo("{\"code\":1,\"message\":\"topic 不能为空\",\"data\":null}");
        assertThat(new String(ResponseBody.job("a", "<b>&\u2028".getBytes(UTF_8)), UTF_8))
                .isEqualTo("{\"code\":0,\"message\":\"操作成功\",\"data\":{\"id\":\"a\",\"body\":\"\\u003cb\\u003e\\u0026"
                        + "\\u2028\"}}");
        assertThat(new String(ResponseBody.job("a", new byte[] {'x', (byte) 0xff}), UTF_8))
                .contains("\"x\uFFFD\"");
    }

    @Test
    void controlCharactersAreEscaped() {
        StringBuilder json = new StringBuilder();
        GoText.quote(json, "\"\\/\b\f\n\r\t\u0000\u001f\u007f'\u2029é😀");
        assertThat(json).hasToString("\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\u007f'\\u2029é😀\"");
    }

    @ParameterizedTest
    @CsvSource({
        "Keys,true",
        "\u212Aeys,true",
        "key\u017F,true",
        "KEYS,true",
        "key\u00DF,false",
        "kex,false",
        "keyss,false"
    })
    void keysAreCaseInsensitiveAsInGo(String key, boolean named) {
        assertThat(GoText.isKeyOf(key, "keys")).isEqualTo(named);
    }
}
