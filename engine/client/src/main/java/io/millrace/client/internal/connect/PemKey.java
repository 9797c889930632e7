// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.UnrecoverableKeyException;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.jspecify.annotations.Nullable;

/** Reads a private key from a PEM file: PKCS#8, encrypted with PBES2 or not encrypted. */
final class PemKey {

    private static final String PLAIN = "PRIVATE KEY";
    private static final String ENCRYPTED = "ENCRYPTED PRIVATE KEY";

    private PemKey() {}

    /**
     * Reads the key of {@code pem}.
     *
     * @param password password of an encrypted key; empty if there is none
     */
    static PrivateKey read(Path pem, char[] password) throws IOException, GeneralSecurityException {
        String text = Files.readString(pem, StandardCharsets.US_ASCII);
        byte[] plain = block(text, PLAIN);
        if (plain != null) {
            return key(pem, new PKCS8EncodedKeySpec(plain));
        }
        byte[] encrypted = block(text, ENCRYPTED);
        if (encrypted == null) {
            throw new InvalidKeySpecException(
                    pem + " holds no PKCS#8 private key. Convert it with: openssl pkcs8 -topk8");
        }
        if (password.length == 0) {
            throw new UnrecoverableKeyException("the private key in " + pem + " is encrypted. Give its password");
        }
        return key(pem, decrypted(pem, encrypted, password));
    }

    private static byte @Nullable [] block(String text, String type) {
        String begin = "-----BEGIN " + type + "-----";
        int from = text.indexOf(begin);
        int to = text.indexOf("-----END " + type + "-----");
        return from < 0 || to < from ? null : Base64.getMimeDecoder().decode(text.substring(from + begin.length(), to));
    }

    private static PKCS8EncodedKeySpec decrypted(Path pem, byte[] encrypted, char[] password)
            throws GeneralSecurityException {
        PBEKeySpec spec = new PBEKeySpec(password);
        try {
            EncryptedPrivateKeyInfo info = new EncryptedPrivateKeyInfo(encrypted);
            // In older JDKs, getAlgName returns PBES2 for all variants. The text of the parameters is the name of the
            // variant, such as PBEWithHmacSHA256AndAES_256.
            String variant = String.valueOf(info.getAlgParameters());
            SecretKey key = SecretKeyFactory.getInstance(variant).generateSecret(spec);
            Cipher cipher = Cipher.getInstance(variant);
            cipher.init(Cipher.DECRYPT_MODE, key, info.getAlgParameters());
            return decrypted(pem, info, cipher);
        } catch (IOException | NoSuchAlgorithmException e) {
            throw new InvalidKeySpecException(
                    pem + " is encrypted in a way that Java does not support."
                            + " Convert it with: openssl pkcs8 -topk8 -v2 aes-256-cbc",
                    e);
        } finally {
            spec.clearPassword();
        }
    }

    private static PKCS8EncodedKeySpec decrypted(Path pem, EncryptedPrivateKeyInfo info, Cipher cipher)
            throws UnrecoverableKeyException {
        try {
            return info.getKeySpec(cipher);
        } catch (InvalidKeySpecException e) {
            // The decrypted bytes are not a key.
            UnrecoverableKeyException wrong = new UnrecoverableKeyException("the password of " + pem + " is wrong");
            wrong.initCause(e);
            throw wrong;
        }
    }

    private static PrivateKey key(Path pem, PKCS8EncodedKeySpec encoded) throws GeneralSecurityException {
        InvalidKeySpecException unsupported =
                new InvalidKeySpecException(pem + " holds a key that is neither RSA nor EC nor EdDSA");
        for (String algorithm : List.of("RSA", "EC", "EdDSA")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(encoded);
            } catch (InvalidKeySpecException e) {
                unsupported.addSuppressed(e);
            }
        }
        throw unsupported;
    }
}
