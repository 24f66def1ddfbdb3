-- Delays by departure airport and hour, from 20,000 flights that arrive out of order.
--
-- The file is in the order in which the events reached the system: a flight's event time is its
-- scheduled departure, and a delayed flight reports late. A window [s, e) is closed once an event
-- two hours past its end was seen; what is later still is counted as late.

SET 'pipeline.name' = 'hourly_delays';
SET 'execution.checkpointing.interval' = '1 s';

CREATE TABLE flights (
  observed_at    TIMESTAMP(3),
  scheduled_at   TIMESTAMP(3),
  origin         STRING,
  destination    STRING,
  delay_minutes  INT,
  distance_miles INT,
  WATERMARK FOR scheduled_at AS scheduled_at - INTERVAL '120' MINUTE(3)
) WITH (
  'connector' = 'filesystem',
  'path' = 'examples/flights/flights_2001.csv',
  'format' = 'csv',
  'scan.watermark.emit.strategy' = 'on-event'
);

CREATE TABLE hourly_delays (
  window_start  TIMESTAMP(3),
  window_end    TIMESTAMP(3),
  origin        STRING,
  flights       BIGINT,
  max_delay     INT,
  average_delay DOUBLE
) WITH (
  'connector' = 'filesystem',
  'path' = 'build/demo/hourly_delays',
  'format' = 'csv'
);

INSERT INTO hourly_delays
SELECT window_start, window_end, origin,
       COUNT(*) AS flights,
       MAX(delay_minutes) AS max_delay,
       AVG(CAST(delay_minutes AS DOUBLE)) AS average_delay
FROM TABLE(TUMBLE(TABLE flights, DESCRIPTOR(scheduled_at), INTERVAL '1' HOUR))
GROUP BY window_start, window_end, origin;
