// The networks, what each is for, and on which data that is judged.
const sentences = (folder) => ({
  'model.onnx': `${folder}/onnx/model.onnx`, 'tokenizer.json': `${folder}/tokenizer.json`, 'config.json': `${folder}/config.json`,
});
const embedding = {task: 'feature-extraction', data: ['sentiment', 'imdb', 'reuters'], words: ['--max-length', '64']};
const line_reader = {task: 'text-recognition', data: ['lines'], optimizes: true};

// VOC's names of what COCO calls otherwise.
const voc_names = 'aeroplane=airplane,sofa=couch,tv/monitor=tv,motorbike=motorcycle,diningtable=dining table';

// `agrees`: the outputs beside those of the float model as well, for labels are few or none.
export const networks = [
  {id: 'all-MiniLM-L6-v2', package: 'xenova', files: sentences('dist/Xenova/all-MiniLM-L6-v2'), ...embedding,
    published: {name: 'published q8', package: 'minilm_q8', file: 'model/onnx/model_quantized.onnx'}},
  {id: 'en_PP-OCRv3_rec', package: 'ppocr', files: {'model.onnx': 'models/en_PP-OCRv3_rec_infer.onnx'}, ...line_reader},
  {id: 'en_PP-OCRv4_rec', package: 'ppocr', files: {'model.onnx': 'models/en_PP-OCRv4_rec.onnx'}, ...line_reader},
  {id: 'silero-v5', package: 'silero', files: {'model.onnx': 'dist/silero_vad_v5.onnx'}, task: 'voice-activity', data: ['speech']},
  {id: 'yolov8n', package: 'yolov8', files: {'model.onnx': 'lib/model/yolov8n.onnx'}, task: 'object-detection', data: ['voc'],
    words: ['--mean', '0,0,0', '--std', '1,1,1', '--labels', voc_names], agrees: true},
  {id: 'u2netp', package: 'u2netp', files: {'model.onnx': 'u2netp.onnx'}, task: 'image-segmentation', data: ['foreground'], agrees: true},
  ...['front_128x128', 'back_256x256'].map((size) => ({id: `blazeface-${size.split('_')[0]}`, package: 'blazeface',
    files: {'model.onnx': `ONNX/face_detection_${size}_barracuda.onnx`}, task: 'image-classification', data: ['faces'],
    words: ['--mean', '0.5,0.5,0.5', '--std', '0.5,0.5,0.5'], agrees: true, unlabelled: true})),
  {id: 'gte-small', package: 'xenova', files: sentences('dist/Xenova/gte-small'), ...embedding, data: ['sentiment']},
];

// What is made of the float model; what keeps less than the floor is judged all the same.
export const builds = [
  {name: 'fp16', words: ['-p', 'fp16']},
  {name: 'w8a8', words: ['-p', 'w8a8', '--preset', 'cpu', '--per-channel'], calibrates: true},
  {name: 'dynamic', words: ['-p', 'dynamic', '--per-channel']},
];
