#include "state.h"

OF_DATA of_recorder_state of_recorder;
