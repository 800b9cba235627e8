// A learning step on a device: what ../processor.rs does, with as many work items as there are neurons, samples and rows.
//
// mod.rs defines the network's shape, the optimiser's numbers and the sizes of the groups. Nothing is added in an order that could change, so that
// the same device makes the same network each time.

// The numbers of the network, in the order of its file: rows of HIDDEN, then the output biases. Behind the rows of the men
// there is that of the biases, and for each output one for the side to move and one for the other.
#define BIASES INPUTS
#define OUTPUT (INPUTS + 1)
#define ROWS (OUTPUT + 2 * BUCKETS)
#define OUTPUT_BIASES (ROWS * HIDDEN)

// Neurons of one work item in `look`.
#define SHARE (HIDDEN / LOOK_ITEMS)

// A position. Its rows begin at `rows`: those that the side to move sees, and then as many of the other.
typedef struct {
    uint rows;
    uint men;
    uint bucket;
    float target;
} Lesson;

// The sum of what the items of a group have, in a fixed order; `sums` has room for each of them.
float summed(float own, local float *sums, uint item, uint items) {
    sums[item] = own;
    for (uint left = items / 2; left > 0; left /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < left) {
            sums[item] += sums[item + left];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return sums[0];
}

float nothing_tiny(float moment) {
    return fabs(moment) < TINY ? 0.0f : moment;
}

// Moves one number of the network against its gradient, the sum of those of the samples: AdamW, as in ../optimiser.rs.
void move_against(float gradient, uint at, global float *numbers, global float *first, global float *second, float share,
                  float rate, float first_unbias, float second_unbias) {
    const float slope = gradient * share;
    const float mean = nothing_tiny(first[at] + (1.0f - FIRST_MOMENTUM) * (slope - first[at]));
    const float square = nothing_tiny(second[at] + (1.0f - SECOND_MOMENTUM) * (slope * slope - second[at]));
    first[at] = mean;
    second[at] = square;
    const float way = (mean / first_unbias) / (sqrt(square / second_unbias) + EPSILON);
    const float moved = numbers[at] - rate * (way + DECAY * numbers[at]);
    // Not `clamp`, which may make a number of what is none; that must be seen.
    numbers[at] = moved < -CLIP ? -CLIP : moved > CLIP ? CLIP : moved;
}

// A group for each sample: finds out what the network says, how wrong that is, and what the sample asks of each row. Of its four parts of the
// gradient, HIDDEN numbers each, two are for the rows that the sides see, and two for the output's rows.
kernel __attribute__((reqd_work_group_size(LOOK_ITEMS, 1, 1)))
void look(global const float *numbers, global const Lesson *lessons, global const ushort *rows, global float *parts,
          global float *slopes, global float *errors) {
    local float sums[LOOK_ITEMS];
    const uint sample = get_group_id(0);
    const uint item = get_local_id(0);
    const Lesson lesson = lessons[sample];
    global const float *weights = numbers + (OUTPUT + 2 * lesson.bucket) * HIDDEN;

    float neurons[2][SHARE];
    float output = 0.0f;
    for (uint side = 0; side < 2; side++) {
        for (uint i = 0; i < SHARE; i++) {
            neurons[side][i] = numbers[BIASES * HIDDEN + i * LOOK_ITEMS + item];
        }
        const uint begin = lesson.rows + side * lesson.men;
        for (uint man = begin; man < begin + lesson.men; man++) {
            global const float *row = numbers + rows[man] * HIDDEN;
            for (uint i = 0; i < SHARE; i++) {
                neurons[side][i] += row[i * LOOK_ITEMS + item];
            }
        }
        for (uint i = 0; i < SHARE; i++) {
            neurons[side][i] = clamp(neurons[side][i], 0.0f, 1.0f);
            output += neurons[side][i] * neurons[side][i] * weights[side * HIDDEN + i * LOOK_ITEMS + item];
        }
    }

    const float sum = summed(output, sums, item, LOOK_ITEMS) + numbers[OUTPUT_BIASES + lesson.bucket];
    const float value = 1.0f / (1.0f + exp(-sum));
    const float error = value - lesson.target;
    const float slope = 2.0f * error * value * (1.0f - value);
    if (item == 0) {
        slopes[sample] = slope;
        errors[sample] = error;
    }
    for (uint side = 0; side < 2; side++) {
        for (uint i = 0; i < SHARE; i++) {
            const uint neuron = i * LOOK_ITEMS + item;
            const float own = neurons[side][i];
            // Nothing passes where the activation is at an end of its range.
            const bool passes = own > 0.0f && own < 1.0f;
            parts[(4 * sample + side) * HIDDEN + neuron] =
                passes ? 2.0f * slope * weights[side * HIDDEN + neuron] * own : 0.0f;
            parts[(4 * sample + 2 + side) * HIDDEN + neuron] = slope * own * own;
        }
    }
}

// Groups for each row, of COLUMNS neurons each: adds up the parts of the gradient that are the row's, from `starts[row]` on in `entries`, and makes the
// step. A row without any makes it as well, since its moments fade.
kernel __attribute__((reqd_work_group_size(COLUMNS, LINES, 1)))
void learn(global float *numbers, global float *first, global float *second, global const float *parts,
           global const uint *starts, global const uint *entries, float share, float rate, float first_unbias,
           float second_unbias) {
    local float sums[LINES][COLUMNS];
    const uint column = get_local_id(0);
    const uint line = get_local_id(1);
    const uint neuron = get_group_id(0) * COLUMNS + column;
    const uint row = get_group_id(1);
    float sum = 0.0f;
    for (uint i = starts[row] + line; i < starts[row + 1]; i += LINES) {
        sum += parts[entries[i] * HIDDEN + neuron];
    }
    sums[line][column] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (line == 0) {
        for (uint other = 1; other < LINES; other++) {
            sum += sums[other][column];
        }
        move_against(sum, row * HIDDEN + neuron, numbers, first, second, share, rate, first_unbias, second_unbias);
    }
}

// A group for each output: the same for its bias. The samples are those of the output's first row.
kernel __attribute__((reqd_work_group_size(LOOK_ITEMS, 1, 1)))
void learn_output_biases(global float *numbers, global float *first, global float *second, global const float *slopes,
                         global const uint *starts, global const uint *entries, float share, float rate,
                         float first_unbias, float second_unbias) {
    local float sums[LOOK_ITEMS];
    const uint bucket = get_group_id(0);
    const uint item = get_local_id(0);
    const uint row = OUTPUT + 2 * bucket;
    float own = 0.0f;
    for (uint i = starts[row] + item; i < starts[row + 1]; i += LOOK_ITEMS) {
        own += slopes[entries[i] / 4];
    }
    const float sum = summed(own, sums, item, LOOK_ITEMS);
    if (item == 0) {
        move_against(sum, OUTPUT_BIASES + bucket, numbers, first, second, share, rate, first_unbias, second_unbias);
    }
}
