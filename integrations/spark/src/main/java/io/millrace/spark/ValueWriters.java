// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import io.millrace.load.source.Row;
import java.math.BigDecimal;
import java.time.ZoneOffset;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimeType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.sql.types.UserDefinedType;
import org.apache.spark.sql.types.VariantType;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/** The writers of all types. The numbers have the same form as the numbers of other sources of a load. */
final class ValueWriters {

    /** The largest precision of a decimal whose digits are in a {@code long}. */
    private static final int LONG_DIGITS = Decimal.MAX_LONG_DIGITS();

    private ValueWriters() {}

    /**
     * Returns the writer for {@code type}.
     *
     * @param column name of the column, for the message
     * @throws SparkLoadException if the type cannot be written, as an interval
     */
    static ValueWriter of(String column, DataType type) {
        return switch (type) {
            case StringType text -> ValueWriters::text;
            case LongType number -> (from, i, out) -> number(from.getLong(i), out);
            case IntegerType number -> (from, i, out) -> number(from.getInt(i), out);
            case ShortType number -> (from, i, out) -> number(from.getShort(i), out);
            case ByteType number -> (from, i, out) -> number(from.getByte(i), out);
            case DoubleType number -> (from, i, out) -> floating(Double.toString(from.getDouble(i)), out);
            case FloatType number -> (from, i, out) -> floating(Float.toString(from.getFloat(i)), out);
            case DecimalType decimal -> decimal(decimal.precision(), decimal.scale());
            case BooleanType bool -> ValueWriters::bool;
            case DateType date -> ValueWriters::date;
            case TimestampType instant -> ValueWriters::instant;
            case TimestampNTZType local -> ValueWriters::local;
            case TimeType time -> ValueWriters::time;
            case BinaryType binary -> ValueWriters::binary;
            case VariantType variant -> ValueWriters::variant;
            case NullType none -> ValueWriters::text;
            case StructType struct -> JsonWriters.struct(column, struct);
            case ArrayType array -> JsonWriters.array(column, array);
            case MapType map -> JsonWriters.map(column, map);
            case UserDefinedType<?> user -> of(column, user.sqlType());
            default ->
                throw new SparkLoadException("column " + column + " has type " + type.simpleString()
                        + ", which cannot be written. Cast it, for example to STRING, or leave it out.");
        };
    }

    /** A string of an {@code UnsafeRow} is copied from its memory; other rows have an object for the string. */
    private static Row.Kind text(SpecializedGetters from, int ordinal, ByteText out) {
        if (from instanceof UnsafeRow row) {
            copy(row, ordinal, out);
        } else {
            UTF8String text = from.getUTF8String(ordinal);
            int at = out.reserve(text.numBytes());
            text.writeToMemory(out.bytes(), Platform.BYTE_ARRAY_OFFSET + at);
        }
        return Row.Kind.TEXT;
    }

    private static void copy(UnsafeRow row, int ordinal, ByteText out) {
        long offsetAndSize = row.getLong(ordinal);
        int size = (int) offsetAndSize;
        long start = row.getBaseOffset() + (offsetAndSize >>> 32);
        int at = out.reserve(size);
        Platform.copyMemory(row.getBaseObject(), start, out.bytes(), Platform.BYTE_ARRAY_OFFSET + at, size);
    }

    private static Row.Kind binary(SpecializedGetters from, int ordinal, ByteText out) {
        if (from instanceof UnsafeRow row) {
            copy(row, ordinal, out);
        } else {
            byte[] bytes = from.getBinary(ordinal);
            out.append(bytes, 0, bytes.length);
        }
        return Row.Kind.BYTES;
    }

    private static Row.Kind number(long value, ByteText out) {
        out.append(value);
        return Row.Kind.NUMBER;
    }

    /** The digits without an exponent, and without {@code .0} at the end. NaN and infinities are text. */
    private static Row.Kind floating(String digits, ByteText out) {
        char last = digits.charAt(digits.length() - 1);
        if (last < '0' || last > '9') {
            out.append(digits);
            return Row.Kind.TEXT;
        }
        if (digits.endsWith(".0")) {
            out.append(digits.equals("-0.0") ? "0" : digits.substring(0, digits.length() - 2));
        } else if (digits.indexOf('E') < 0) {
            out.append(digits);
        } else {
            out.append(new BigDecimal(digits).stripTrailingZeros().toPlainString());
        }
        return Row.Kind.NUMBER;
    }

    private static ValueWriter decimal(int precision, int scale) {
        return (from, i, out) -> {
            if (precision <= LONG_DIGITS && scale >= 0 && from instanceof UnsafeRow row) {
                unscaled(row.getLong(i), scale, out);
            } else {
                out.append(
                        from.getDecimal(i, precision, scale).toJavaBigDecimal().toPlainString());
            }
            return Row.Kind.NUMBER;
        };
    }

    private static void unscaled(long value, int scale, ByteText out) {
        if (scale == 0) {
            out.append(value);
            return;
        }
        long one = 1;
        for (int i = 0; i < scale; i++) {
            one *= 10;
        }
        if (value < 0) {
            out.append('-');
        }
        long digits = Math.abs(value);
        out.append(digits / one);
        out.append('.');
        out.appendDigits(digits % one, scale);
    }

    private static Row.Kind bool(SpecializedGetters from, int ordinal, ByteText out) {
        out.append(from.getBoolean(ordinal) ? "true" : "false");
        return Row.Kind.BOOLEAN;
    }

    private static Row.Kind date(SpecializedGetters from, int ordinal, ByteText out) {
        TimeText.date(from.getInt(ordinal), out);
        return Row.Kind.TEXT;
    }

    private static Row.Kind instant(SpecializedGetters from, int ordinal, ByteText out) {
        TimeText.timestamp(from.getLong(ordinal), out);
        out.append('Z');
        return Row.Kind.TEXT;
    }

    private static Row.Kind local(SpecializedGetters from, int ordinal, ByteText out) {
        TimeText.timestamp(from.getLong(ordinal), out);
        return Row.Kind.TEXT;
    }

    private static Row.Kind time(SpecializedGetters from, int ordinal, ByteText out) {
        TimeText.time(from.getLong(ordinal), out);
        return Row.Kind.TEXT;
    }

    private static Row.Kind variant(SpecializedGetters from, int ordinal, ByteText out) {
        out.append(from.getVariant(ordinal).toJson(ZoneOffset.UTC));
        return Row.Kind.JSON;
    }
}
