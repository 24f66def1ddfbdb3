CREATE TABLE flights (
  observed_at TIMESTAMP(3), scheduled_at TIMESTAMP(3), origin STRING, destination STRING,
  delay_minutes INT, distance_miles INT,
  WATERMARK FOR scheduled_at AS scheduled_at - INTERVAL '2' HOUR
) WITH ('connector' = 'filesystem', 'path' = 'examples/flights/flights_2001.csv', 'format' = 'csv');

-- The worst hours: three flights or more from one airport, over 75 minutes late on average.
SELECT window_start, origin, COUNT(*) AS flights,
       MAX(delay_minutes) AS worst, AVG(delay_minutes) AS average
FROM TABLE(TUMBLE(TABLE flights, DESCRIPTOR(scheduled_at), INTERVAL '1' HOUR))
GROUP BY window_start, window_end, origin
HAVING COUNT(*) >= 3 AND AVG(delay_minutes) > 75;
