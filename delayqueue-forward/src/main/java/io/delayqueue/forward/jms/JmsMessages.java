package io.delayqueue.forward.jms;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.forward.ForwardedMessage;
import jakarta.jms.BytesMessage;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.Session;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Map;

/** Creates JMS messages: a text message if the body is UTF-8, otherwise a bytes message. Headers become properties. */
final class JmsMessages {

    /** Property by which Spring's converters detect the content type. */
    private static final String CONTENT_TYPE = "content_type";

    /** Prefix of properties that control Artemis. Most of them must not be strings. */
    private static final String OF_ARTEMIS = "_AMQ_";

    private JmsMessages() {}

    static Message create(Session session, ForwardedMessage message) throws JMSException {
        Message jms = body(session, message.body());
        for (Map.Entry<String, String> header : message.headers().entrySet()) {
            String name = propertyName(header.getKey());
            if (!name.startsWith(OF_ARTEMIS)) {
                jms.setStringProperty(name, header.getValue());
            }
        }
        jms.setStringProperty(CONTENT_TYPE, message.contentType());
        return jms;
    }

    private static Message body(Session session, byte[] body) throws JMSException {
        try {
            return session.createTextMessage(
                    UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString());
        } catch (CharacterCodingException e) {
            BytesMessage bytes = session.createBytesMessage();
            bytes.writeBytes(body);
            return bytes;
        }
    }

    /** Property names must be Java identifiers. Dots and dashes are encoded as in Apache Camel. */
    static String propertyName(String header) {
        StringBuilder name = new StringBuilder(header.length());
        header.codePoints().forEach(each -> {
            if (each == '.') {
                name.append("_DOT_");
            } else if (each == '-') {
                name.append("_HYPHEN_");
            } else if (name.isEmpty() ? Character.isJavaIdentifierStart(each) : Character.isJavaIdentifierPart(each)) {
                name.appendCodePoint(each);
            } else {
                name.append("_x").append(Integer.toHexString(each)).append('_');
            }
        });
        return name.toString();
    }
}
